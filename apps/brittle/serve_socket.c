// SPDX-License-Identifier: MIT

// One thread: libwebsockets waits for sockets and for the next sixtieth of a second, the world steps in between.
//
// Who gets in: the path begins with the token, Host is an address of this machine (no name that was bent to point
// here), and a WebSocket's Origin is that host. Commands come one to a message of at most 64 bytes; what is longer, not
// binary or in fragments ends the connection, as does a malformed one. Everything else that may come is libwebsockets'
// to parse, within small limits.

#include "serve_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool isServeOrigin(const char* origin, const char* host)
{
	static const char scheme[] = "http://";
	return strncmp(origin, scheme, sizeof(scheme) - 1) == 0 && strcmp(origin + sizeof(scheme) - 1, host) == 0;
}

bool isServeHost(const char* host, const char* listen, int32_t port)
{
	char wanted[300];
	bool isAny = strcmp(listen, "0.0.0.0") == 0, isLoopback = strncmp(listen, "127.", 4) == 0;
	snprintf(wanted, sizeof(wanted), "%s:%d", listen, port);
	if (strcmp(host, wanted) == 0)
	{
		return true;
	}
	snprintf(wanted, sizeof(wanted), "localhost:%d", port);
	if ((isLoopback || isAny) && strcmp(host, wanted) == 0)
	{
		return true;
	}
	// On all addresses any of them will do, but no name.
	snprintf(wanted, sizeof(wanted), ":%d", port);
	size_t digits = strspn(host, "0123456789.");
	return isAny && digits >= 7 && strcmp(host + digits, wanted) == 0;
}

#ifndef BR_HAVE_WEBSOCKETS

const bool serveIsBuiltIn = false;

brResult serveLive(const ServeDef* def, brReport* report)
{
	(void)def;
	return report->code = br_errorUnavailable;
}

#else

#include <libwebsockets.h>

const bool serveIsBuiltIn = true;

#define SERVE_CHUNK 32768
#define SERVE_TICK (LWS_US_PER_SEC / 60)
#define SERVE_IDLE_TICK (LWS_US_PER_SEC / 10) // nobody watches
#define SERVE_MAX_DROPPED 2000                // messages over the limit before the connection ends
#define SERVE_MAX_CONNECTIONS 512             // those that are to make way stay for a turn
#define SERVE_MAX_ASKING 32                   // connections that have not finished their request

// One connection; libwebsockets owns it and zeroes it.
typedef struct Connection
{
	struct Connection* next; // of those with a client
	struct lws* wsi;
	bool isWatching;
	int32_t client;
	int32_t dropped;
	size_t pageSent;
	unsigned char* message; // being sent, after LWS_PRE bytes
	size_t size, sent;
} Connection;

typedef struct Server
{
	const ServeDef* def;
	struct lws_context* context;
	int32_t port;
	lws_sorted_usec_list_t tick;
	struct timespec last;
	Connection* watching;
	struct lws* asking[SERVE_MAX_CONNECTIONS]; // oldest first
	int32_t askingCount;
	brResult result;
	brReport* report;
} Server;

static Server* serverOf(struct lws* wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

// Connections that ask, and never finish, would keep new pages out: there is room for few, and the oldest makes way.

static void endAsking(struct lws* wsi)
{
	Server* server = serverOf(wsi);
	for (int32_t i = 0; i < server->askingCount; ++i)
	{
		if (server->asking[i] == wsi)
		{
			server->askingCount -= 1;
			memmove(&server->asking[i], &server->asking[i + 1],
					(size_t)(server->askingCount - i) * sizeof(server->asking[0]));
			return;
		}
	}
}

static void beginAsking(struct lws* wsi)
{
	Server* server = serverOf(wsi);
	if (server->askingCount < SERVE_MAX_CONNECTIONS)
	{
		server->asking[server->askingCount++] = wsi;
	}
}

// Between two turns, at once: libwebsockets forgets an end that waits for its turn when the first bytes of the request
// come before it, and gives the connection the whole time for a request again.
static void endOldestAsking(Server* server)
{
	while (server->askingCount > SERVE_MAX_ASKING)
	{
		struct lws* oldest = server->asking[0];
		endAsking(oldest);
		lws_set_timeout(oldest, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
	}
}

// "/TOKEN" and the rest. Takes as long for every wrong token.
static bool isTokenPath(const Server* server, const char* path, const char* rest)
{
	const char* token = server->def->token;
	size_t length = strlen(token);
	if (path[0] != '/' || strlen(path) != 1 + length + strlen(rest))
	{
		return false;
	}
	int difference = 0;
	for (size_t i = 0; i < length; ++i)
	{
		difference |= path[1 + i] ^ token[i];
	}
	return difference == 0 && strcmp(path + 1 + length, rest) == 0;
}

// A header as text; empty if it is missing or too long.
static void copyHeader(struct lws* wsi, enum lws_token_indexes which, char* text, int capacity)
{
	if (lws_hdr_copy(wsi, text, capacity, which) < 0)
	{
		text[0] = 0;
	}
}

static bool hasGoodHost(struct lws* wsi, char* host, int capacity)
{
	const Server* server = serverOf(wsi);
	copyHeader(wsi, WSI_TOKEN_HOST, host, capacity);
	return isServeHost(host, server->def->listen, server->port);
}

// HTTP: the page, or nothing.

static int beginPage(struct lws* wsi, const char* path)
{
	const Server* server = serverOf(wsi);
	char host[256];
	if (!hasGoodHost(wsi, host, sizeof(host)) || lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0 ||
		!isTokenPath(server, path, "/"))
	{
		return lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL) != 0 || lws_http_transaction_completed(wsi) ? -1
																													: 0;
	}
	unsigned char buffer[LWS_PRE + 2048], *at = buffer + LWS_PRE, *start = at, *end = buffer + sizeof(buffer) - 1;
	char policy[512];
	snprintf(
		policy, sizeof(policy),
		"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src "
		"'self' ws://%s blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		host);
	const char* const fields[][2] = {{"content-security-policy:", policy},
									 {"referrer-policy:", "no-referrer"},
									 {"x-content-type-options:", "nosniff"},
									 {"cache-control:", "no-store"}};
	bool isWritten = lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", server->def->pageSize,
												 &at, end) == 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && isWritten; ++i)
	{
		isWritten =
			lws_add_http_header_by_name(wsi, (const unsigned char*)fields[i][0], (const unsigned char*)fields[i][1],
										(int)strlen(fields[i][1]), &at, end) == 0;
	}
	if (!isWritten || lws_finalize_write_http_header(wsi, start, &at, end) != 0)
	{
		return -1;
	}
	lws_callback_on_writable(wsi);
	return 0;
}

static int continuePage(struct lws* wsi, Connection* connection)
{
	const ServeDef* def = serverOf(wsi)->def;
	unsigned char buffer[LWS_PRE + SERVE_CHUNK];
	size_t left = def->pageSize - connection->pageSent, count = left < SERVE_CHUNK ? left : SERVE_CHUNK;
	if (left == 0)
	{
		return 0;
	}
	memcpy(buffer + LWS_PRE, def->page + connection->pageSent, count);
	connection->pageSent += count;
	bool isLast = count == left;
	if (lws_write(wsi, buffer + LWS_PRE, count, isLast ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)count)
	{
		return -1;
	}
	if (isLast)
	{
		connection->pageSent = 0;
		return lws_http_transaction_completed(wsi) ? -1 : 0;
	}
	lws_callback_on_writable(wsi);
	return 0;
}

// WebSocket

static int confirmUpgrade(struct lws* wsi)
{
	const Server* server = serverOf(wsi);
	char host[256], origin[300], path[256];
	copyHeader(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin));
	copyHeader(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
	bool isLetIn =
		isTokenPath(server, path, "/live") && hasGoodHost(wsi, host, sizeof(host)) && isServeOrigin(origin, host);
	return isLetIn ? 0 : -1;
}

static int beginWatching(struct lws* wsi, Connection* connection)
{
	Server* server = serverOf(wsi);
	connection->wsi = wsi;
	connection->client = server->def->source.join(server->def->source.user);
	if (connection->client < 0)
	{
		lws_close_reason(wsi, 1013, NULL, 0); // try again later
		return -1;
	}
	connection->isWatching = true;
	connection->next = server->watching;
	server->watching = connection;
	lws_callback_on_writable(wsi);
	return 0;
}

static void endWatching(struct lws* wsi, Connection* connection)
{
	Server* server = serverOf(wsi);
	if (connection == NULL || !connection->isWatching)
	{
		return;
	}
	Connection** link = &server->watching;
	while (*link != connection)
	{
		link = &(*link)->next;
	}
	*link = connection->next;
	connection->isWatching = false;
	server->def->source.leave(server->def->source.user, connection->client);
	free(connection->message);
	connection->message = NULL;
}

// The last frame is the one that closes: the client is gone from this moment, and nothing is sent after it while
// libwebsockets waits for the answer.
static int hangUp(struct lws* wsi, Connection* connection, enum lws_close_status code)
{
	endWatching(wsi, connection);
	lws_close_reason(wsi, code, NULL, 0);
	return -1;
}

static int receive(struct lws* wsi, Connection* connection, const void* bytes, size_t count)
{
	Server* server = serverOf(wsi);
	if (!connection->isWatching)
	{
		return -1;
	}
	bool isWhole = lws_is_first_fragment(wsi) && lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
	if (!isWhole || count > BR_LIVE_MAX_COMMAND)
	{
		return hangUp(wsi, connection, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
	}
	if (!lws_frame_is_binary(wsi))
	{
		return hangUp(wsi, connection, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE);
	}
	const ServeSource* source = &server->def->source;
	brResult result = source->receive(source->user, connection->client, bytes, count);
	connection->dropped += result == br_remarkDropped;
	if (result == br_errorFormat || connection->dropped > SERVE_MAX_DROPPED)
	{
		return hangUp(wsi, connection, LWS_CLOSE_STATUS_POLICY_VIOLATION);
	}
	return 0;
}

// The next message out of the live world, before its first byte goes. False if there is none or no memory.
static bool takeMessage(const ServeSource* source, Connection* connection)
{
	size_t size;
	const void* bytes = source->peek(source->user, connection->client, &size);
	connection->message = bytes != NULL ? malloc(LWS_PRE + size) : NULL;
	if (connection->message == NULL)
	{
		return false;
	}
	memcpy(connection->message + LWS_PRE, bytes, size);
	connection->size = size;
	connection->sent = 0;
	source->pop(source->user, connection->client);
	return true;
}

// As much of what waits as the connection takes: a turn may be as long as a step, so one message a turn would never
// catch up.
static int sendSome(struct lws* wsi, Connection* connection)
{
	const ServeSource* source = &serverOf(wsi)->def->source;
	if (!connection->isWatching)
	{
		return 0;
	}
	while (!lws_send_pipe_choked(wsi) && (connection->message != NULL || takeMessage(source, connection)))
	{
		size_t left = connection->size - connection->sent, count = left < SERVE_CHUNK ? left : SERVE_CHUNK;
		int mode = connection->sent == 0 ? LWS_WRITE_BINARY : LWS_WRITE_CONTINUATION;
		mode |= count < left ? LWS_WRITE_NO_FIN : 0;
		// What lies before the part has been sent already, so its header may go there.
		unsigned char* at = connection->message + LWS_PRE + connection->sent;
		if (lws_write(wsi, at, count, (enum lws_write_protocol)mode) < (int)count)
		{
			return -1;
		}
		connection->sent += count;
		if (connection->sent == connection->size)
		{
			free(connection->message);
			connection->message = NULL;
		}
	}
	if (connection->message != NULL)
	{
		lws_callback_on_writable(wsi);
	}
	return 0;
}

static int onSocket(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
	Connection* connection = user;
	switch (reason)
	{
		case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
			beginAsking(wsi);
			return 0;
		case LWS_CALLBACK_WSI_DESTROY:
			endAsking(wsi);
			return 0;
		case LWS_CALLBACK_HTTP:
			endAsking(wsi);
			return beginPage(wsi, in);
		case LWS_CALLBACK_HTTP_WRITEABLE:
			return continuePage(wsi, connection);
		case LWS_CALLBACK_HTTP_BODY:
			return -1; // nobody was asked for one
		case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
			endAsking(wsi);
			return strcmp(in, "websocket") == 0 ? confirmUpgrade(wsi) : -1;
		case LWS_CALLBACK_ESTABLISHED:
			return beginWatching(wsi, connection);
		case LWS_CALLBACK_RECEIVE:
			return receive(wsi, connection, in, length);
		case LWS_CALLBACK_SERVER_WRITEABLE:
			return sendSome(wsi, connection);
		case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
			endWatching(wsi, connection); // the answer is all that follows
			return 0;
		case LWS_CALLBACK_CLOSED:
			endWatching(wsi, connection);
			return 0;
		default:
			return 0;
	}
}

// The clock

static void onTick(lws_sorted_usec_list_t* tick)
{
	Server* server = lws_container_of(tick, Server, tick);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double passed = (double)(now.tv_sec - server->last.tv_sec) + 1e-9 * (double)(now.tv_nsec - server->last.tv_nsec);
	server->last = now;
	bool isWatched = server->watching != NULL;
	// With nobody there the world stands still.
	const ServeSource* source = &server->def->source;
	server->result = isWatched ? source->advance(source->user, passed, server->report) : br_success;
	for (Connection* c = server->watching; c != NULL; c = c->next)
	{
		lws_callback_on_writable(c->wsi);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	lws_usec_t spent =
		(now.tv_sec - server->last.tv_sec) * LWS_US_PER_SEC + (now.tv_nsec - server->last.tv_nsec) / 1000;
	lws_usec_t wait = isWatched ? SERVE_TICK : SERVE_IDLE_TICK;
	lws_sul_schedule(server->context, 0, &server->tick, onTick, wait > spent ? wait - spent : 1);
}

brResult serveLive(const ServeDef* def, brReport* report)
{
	static const lws_retry_bo_t alive = {.secs_since_valid_ping = 5, .secs_since_valid_hangup = 12};
	const struct lws_protocols protocols[] = {
		{.name = "brittle-live",
		 .callback = onSocket,
		 .per_session_data_size = sizeof(Connection),
		 .rx_buffer_size = 256,
		 // Else so much goes out at once as may come in, and a message with meshes takes hundreds of turns.
		 .tx_packet_size = SERVE_CHUNK},
		{0},
	};
	Server server = {.def = def, .report = report};
	struct lws_context_creation_info info;
	memset(&info, 0, sizeof(info));
	info.port = def->port;
	info.iface = strcmp(def->listen, "0.0.0.0") == 0 ? NULL : def->listen;
	info.protocols = protocols;
	info.user = &server;
	info.gid = (gid_t)-1;
	info.uid = (uid_t)-1;
	info.server_string = "brittle";
	info.timeout_secs = 5;
	info.fd_limit_per_thread = SERVE_MAX_CONNECTIONS;
	info.max_http_header_data = 4096;
	info.max_http_header_pool = 64;
	info.retry_and_idle_policy = &alive;
	info.options =
		LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
	lws_set_log_level(0, NULL);
	server.context = lws_create_context(&info);
	struct lws_vhost* host = server.context != NULL ? lws_create_vhost(server.context, &info) : NULL;
	server.port = host != NULL ? lws_get_vhost_listen_port(host) : 0;
	if (server.port <= 0)
	{
		if (server.context != NULL)
		{
			lws_context_destroy(server.context);
		}
		snprintf(report->text, sizeof(report->text),
				 "port %d of %s cannot be had: it is taken, or no address of this machine", def->port, def->listen);
		return report->code = br_errorFile;
	}
	def->onOpen(server.port, def->user);
	clock_gettime(CLOCK_MONOTONIC, &server.last);
	lws_sul_schedule(server.context, 0, &server.tick, onTick, 1);
	while (*def->stop == 0 && server.result >= 0 && lws_service(server.context, 0) >= 0)
	{
		endOldestAsking(&server);
	}
	lws_sul_cancel(&server.tick);
	lws_context_destroy(server.context);
	return server.result;
}

#endif
