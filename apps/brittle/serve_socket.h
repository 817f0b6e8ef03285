// SPDX-License-Identifier: MIT
#pragma once

// A live world, or whatever else goes on and is watched, behind HTTP and WebSocket. serve_socket.c is the only file
// that knows libwebsockets.

#include "brittle/brittle.h"

#include <signal.h>

/// What is watched. The calls are those of brLive, and mean the same.
typedef struct ServeSource
{
	void* user; // first argument of all
	int32_t (*join)(void* user);
	void (*leave)(void* user, int32_t client);
	brResult (*receive)(void* user, int32_t client, const void* bytes, size_t byteCount);
	brResult (*advance)(void* user, double seconds, brReport* report);
	const void* (*peek)(void* user, int32_t client, size_t* outByteCount);
	void (*pop)(void* user, int32_t client);
} ServeSource;

typedef struct ServeDef
{
	ServeSource source;
	const char* listen; // an address of this machine
	int32_t port;       // 0: any that is free
	const char* token;  // what the path of every address begins with
	const char* page;   // what browsers get, complete
	size_t pageSize;
	volatile sig_atomic_t* stop; // ends the loop when it is not 0

	/// Called once, when the port is open.
	void (*onOpen)(int32_t port, void* user);
	void* user;
} ServeDef;

/// Whether libwebsockets was there when the program was built.
extern const bool serveIsBuiltIn;

/// Serves until told to stop. br_errorUnavailable without libwebsockets; br_errorFile if the address or the port cannot
/// be had.
brResult serveLive(const ServeDef* def, brReport* report);

/// Is the Host header one of a browser that asked for this place by its address? Only then may its Origin be compared
/// with it: a name that somebody else's DNS points here is none. `listen` is the address that is listened on.
bool isServeHost(const char* host, const char* listen, int32_t port);

/// Does a WebSocket come from a page of this place?
bool isServeOrigin(const char* origin, const char* host);
