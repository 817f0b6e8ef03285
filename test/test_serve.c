// SPDX-License-Identifier: MIT

// `brittle serve` as the network meets it: who gets in, and what malformed HTTP and WebSocket traffic does (nothing).

#include "harness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Served
{
	pid_t child;
	int out; // its stdout and stderr
	int port;
	char token[64];
	char said[4096];
	size_t saidCount;
} Served;

static void listen_to(Served* served, int timeout)
{
	struct pollfd waiting = {served->out, POLLIN, 0};
	if (poll(&waiting, 1, timeout) > 0)
	{
		ssize_t count =
			read(served->out, served->said + served->saidCount, sizeof(served->said) - 1 - served->saidCount);
		served->saidCount += count > 0 ? (size_t)count : 0;
		served->said[served->saidCount] = 0;
	}
}

static void writeFile(const char* path, const char* text)
{
	FILE* file = fopen(path, "wb");
	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

// A scene on a free port. Skips the test if the program cannot serve.
static Served beginServingScene(const char* listen, const char* text)
{
	char scene[256], page[256], log[256];
	snprintf(scene, sizeof(scene), "%s", brTest_ScratchPath("scene.yaml"));
	snprintf(page, sizeof(page), "%s", brTest_ScratchPath("page.html"));
	snprintf(log, sizeof(log), "%s", brTest_ScratchPath("runtime"));
	writeFile(scene, text);
	writeFile(page, "<html><body>the page<!--RECORDING--></body></html>");
	mkdir(log, 0700);
	Served served = {0};
	int pipes[2];
	CHECK(pipe(pipes) == 0);
	served.child = fork();
	CHECK(served.child >= 0);
	if (served.child == 0)
	{
#ifdef __linux__
		prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no server behind
#endif
		dup2(pipes[1], STDOUT_FILENO);
		dup2(pipes[1], STDERR_FILENO);
		close(pipes[0]);
		setenv("BRITTLE_VIEWER", page, 1);
		setenv("XDG_RUNTIME_DIR", log, 1);
		execl(brTest_Program(), "brittle", "serve", scene, "--no-open", "--port", "0", "--listen", listen, "--workers",
			  "1", (char*)NULL);
		_exit(127);
	}
	close(pipes[1]);
	served.out = pipes[0];
	for (int i = 0; i < 200 && sscanf(served.said, "http://%*[0-9.]:%d/%32[0-9a-f]/", &served.port, served.token) != 2;
		 ++i)
	{
		listen_to(&served, 100);
		if (strstr(served.said, "libwebsockets") != NULL || strstr(served.said, "libyaml") != NULL)
		{
			kill(served.child, SIGKILL);
			waitpid(served.child, NULL, 0);
			brTest_Skip("the program was built without libwebsockets or libyaml");
		}
	}
	CHECK_MESSAGE(served.port > 0 && strlen(served.token) == 32, "it said: %s", served.said);
	return served;
}

static Served beginServing(const char* listen)
{
	return beginServingScene(listen, "scene: Block\nground: marble\nbodies:\n"
									 "  - {model: {make: box, with: {width: 0.1, depth: 0.1, height: 0.1}}, "
									 "position: [0, 0, 0.3]}\n");
}

// Ends it as Ctrl-C does; a crash or, under the sanitizers, a leak shows in the exit code.
static void endServing(Served* served)
{
	int status = 0;
	CHECK_MESSAGE(waitpid(served->child, &status, WNOHANG) == 0, "it ended by itself: %s", served->said);
	kill(served->child, SIGINT);
	CHECK(waitpid(served->child, &status, 0) == served->child);
	listen_to(served, 100);
	close(served->out);
	CHECK_MESSAGE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, served->said);
}

static int dial(const Served* served)
{
	int socketNumber = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)served->port)};
	place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(socketNumber >= 0 && connect(socketNumber, (struct sockaddr*)&place, sizeof(place)) == 0);
	return socketNumber;
}

// Writes all, or as much as the other side takes.
static void put(int socketNumber, const void* bytes, size_t count)
{
	const char* at = bytes;
	while (count > 0)
	{
		ssize_t written = send(socketNumber, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (written <= 0)
		{
			return;
		}
		at += written;
		count -= (size_t)written;
	}
}

// What comes within the time, until `count` bytes or the end. Returns how many.
static size_t get(int socketNumber, char* bytes, size_t count, int milliseconds)
{
	size_t used = 0;
	struct pollfd waiting = {socketNumber, POLLIN, 0};
	while (used < count && poll(&waiting, 1, milliseconds) > 0)
	{
		ssize_t got = recv(socketNumber, bytes + used, count - used, 0);
		if (got <= 0)
		{
			break;
		}
		used += (size_t)got;
	}
	return used;
}

static bool getByte(int socketNumber, uint8_t* outByte)
{
	return get(socketNumber, (char*)outByte, 1, 3000) == 1;
}

// Takes frames until the server hangs up. Returns its code, 1 if it ends without one, 0 if it goes on for two seconds.
static int readUntilClosed(int socketNumber)
{
	uint8_t bytes[8], last[4] = {0};
	time_t start = time(NULL);
	while (memcmp(last, "\r\n\r\n", 4) != 0) // the rest of the answer to the handshake
	{
		memmove(last, last + 1, 3);
		if (!getByte(socketNumber, &last[3]))
		{
			return 1;
		}
	}
	while (time(NULL) - start < 3)
	{
		if (get(socketNumber, (char*)bytes, 2, 3000) != 2)
		{
			return 1;
		}
		int kind = bytes[0] & 15;
		size_t size = bytes[1] & 127, more = size == 126 ? 2 : size == 127 ? 8 : 0;
		CHECK(get(socketNumber, (char*)bytes, more, 3000) == more);
		for (size_t i = 0; i < more; ++i)
		{
			size = i == 0 ? bytes[0] : size << 8 | bytes[i];
		}
		static char payload[1 << 20];
		CHECK(size < sizeof(payload) && get(socketNumber, payload, size, 3000) == size);
		if (kind == 8)
		{
			return size >= 2 ? (uint8_t)payload[0] << 8 | (uint8_t)payload[1] : 1;
		}
	}
	return 0;
}

// The status of an answer to one request, 0 if the connection just ends.
static int ask(const Served* served, const char* request)
{
	int socketNumber = dial(served), status = 0;
	char answer[256] = "";
	put(socketNumber, request, strlen(request));
	answer[get(socketNumber, answer, 12, 3000)] = 0;
	sscanf(answer, "HTTP/1.1 %d", &status);
	close(socketNumber);
	return status;
}

static int askFor(const Served* served, const char* path, const char* host)
{
	char request[1024];
	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host);
	return ask(served, request);
}

// A WebSocket handshake; the connection if it was taken, else -1.
static int shake(const Served* served, const char* path, const char* host, const char* origin)
{
	char request[1024], answer[512];
	char originLine[256] = "";
	if (origin != NULL)
	{
		snprintf(originLine, sizeof(originLine), "Origin: %s\r\n", origin);
	}
	snprintf(request, sizeof(request),
			 "GET %s HTTP/1.1\r\nHost: %s\r\n%sUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
			 "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
			 path, host, originLine);
	int socketNumber = dial(served), status = 0;
	put(socketNumber, request, strlen(request));
	answer[get(socketNumber, answer, 12, 3000)] = 0;
	sscanf(answer, "HTTP/1.1 %d", &status);
	if (status == 101)
	{
		return socketNumber;
	}
	close(socketNumber);
	return -1;
}

typedef struct Names
{
	char host[64], origin[80], page[64], live[64];
} Names;

static Names namesOf(const Served* served)
{
	Names names;
	snprintf(names.host, sizeof(names.host), "127.0.0.1:%d", served->port);
	snprintf(names.origin, sizeof(names.origin), "http://%s", names.host);
	snprintf(names.page, sizeof(names.page), "/%.32s/", served->token);
	snprintf(names.live, sizeof(names.live), "/%.32s/live", served->token);
	return names;
}

static int join(const Served* served)
{
	Names names = namesOf(served);
	int socketNumber = shake(served, names.live, names.host, names.origin);
	CHECK(socketNumber >= 0);
	return socketNumber;
}

// A masked frame with a payload as given.
static size_t makeFrame(uint8_t* frame, uint8_t head, const uint8_t* payload, size_t count)
{
	const uint8_t mask[4] = {0x11, 0x22, 0x33, 0x44};
	size_t at = 0;
	frame[at++] = head;
	if (count < 126)
	{
		frame[at++] = (uint8_t)(0x80 | count);
	}
	else
	{
		frame[at++] = 0x80 | 126;
		frame[at++] = (uint8_t)(count >> 8);
		frame[at++] = (uint8_t)count;
	}
	memcpy(frame + at, mask, 4);
	at += 4;
	for (size_t i = 0; i < count; ++i)
	{
		frame[at++] = payload[i] ^ mask[i % 4];
	}
	return at;
}

// Frames go on coming: the world runs and the server answers.
static bool isAlive(const Served* served)
{
	int socketNumber = join(served);
	char bytes[4096];
	size_t count = get(socketNumber, bytes, sizeof(bytes), 500);
	close(socketNumber);
	return count > 100;
}

BR_TEST(serve_lets_in_who_has_the_address_and_nobody_else)
{
	Served served = beginServing("127.0.0.1");
	Names names = namesOf(&served);
	char local[64], localOrigin[80], other[64], wrong[64];
	snprintf(local, sizeof(local), "localhost:%d", served.port);
	snprintf(localOrigin, sizeof(localOrigin), "http://%s", local);
	snprintf(other, sizeof(other), "evil.example:%d", served.port);
	snprintf(wrong, sizeof(wrong), "/%.32s/live", "00000000000000000000000000000000");

	CHECK_EQUAL(askFor(&served, names.page, names.host), 200);
	CHECK_EQUAL(askFor(&served, names.page, local), 200);
	CHECK_EQUAL(askFor(&served, names.page, other), 404); // a name that was made to point here
	CHECK_EQUAL(askFor(&served, "/", names.host), 404);
	CHECK_EQUAL(askFor(&served, "/../../etc/passwd", names.host) == 200, 0);
	CHECK_EQUAL(askFor(&served, "/00000000000000000000000000000000/", names.host), 404);

	CHECK(shake(&served, wrong, names.host, names.origin) < 0);
	CHECK(shake(&served, names.page, names.host, names.origin) < 0);
	CHECK(shake(&served, names.live, names.host, NULL) < 0);
	CHECK(shake(&served, names.live, names.host, "http://evil.example") < 0);
	CHECK(shake(&served, names.live, names.host, "null") < 0);
	CHECK(shake(&served, names.live, names.host, localOrigin) < 0);
	CHECK(shake(&served, names.live, other, "http://evil.example") < 0);
	int socketNumber = shake(&served, names.live, local, localOrigin);
	CHECK(socketNumber >= 0);
	close(socketNumber);
	CHECK(isAlive(&served));
	endServing(&served);
}

BR_TEST(serve_hangs_up_on_what_no_page_sends)
{
	Served served = beginServing("127.0.0.1");
	static uint8_t frame[70000], payload[66000];
	const struct
	{
		const char* what;
		uint8_t head;
		size_t count;
		uint8_t first;
		int code; // or 0: any
	} cases[] = {
		{"text", 0x81, 1, 8, 1003},
		{"an unknown command", 0x82, 1, 77, 1008},
		{"a command cut short", 0x82, 5, 1, 1008},
		{"a command with more behind it", 0x82, 2, 8, 1008},
		{"a long message", 0x82, 100, 1, 1009},
		{"a longer message", 0x82, 4000, 1, 1009},
		{"a very long message", 0x82, 60000, 1, 1009},
		{"a fragment", 0x02, 1, 8, 1009},
		{"a reserved bit", 0xc2, 1, 8, 0},
		{"a reserved opcode", 0x83, 1, 8, 0},
		{"a long ping", 0x89, 200, 0, 0},
		{"a ping in fragments", 0x09, 1, 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		int socketNumber = join(&served);
		payload[0] = cases[i].first;
		put(socketNumber, frame, makeFrame(frame, cases[i].head, payload, cases[i].count));
		int code = readUntilClosed(socketNumber);
		CHECK_MESSAGE(code != 0 && (cases[i].code == 0 || code == 1 || code == cases[i].code), "%s: %d", cases[i].what,
					  code);
		close(socketNumber);
	}
	// A frame that says it is longer than anything.
	int socketNumber = join(&served);
	const uint8_t huge[] = {0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6};
	put(socketNumber, huge, sizeof(huge));
	put(socketNumber, payload, sizeof(payload));
	CHECK(readUntilClosed(socketNumber) != 0);
	close(socketNumber);
	// A good command is taken by the same server.
	socketNumber = join(&served);
	payload[0] = 8;
	put(socketNumber, frame, makeFrame(frame, 0x82, payload, 1));
	char bytes[2048];
	CHECK(get(socketNumber, bytes, sizeof(bytes), 500) > 100);
	close(socketNumber);
	CHECK(isAlive(&served));
	endServing(&served);
}

BR_TEST(serve_survives_malformed_http_and_websocket_traffic)
{
	brRandom random = brTest_Random(test);
	Served served = beginServing("127.0.0.1");
	Names names = namesOf(&served);
	static const char* const words[] = {"GET ",
										"POST ",
										"/",
										" HTTP/1.1\r\n",
										"Host: ",
										"\r\n",
										"\r\n\r\n",
										"Upgrade: websocket\r\n",
										"Content-Length: 99999999999\r\n",
										"Transfer-Encoding: chunked\r\n",
										"Sec-WebSocket-Version: 13\r\n",
										"Sec-WebSocket-Key: ",
										"Connection: Upgrade\r\n",
										"%00%2e%2e",
										"HTTP/2.0",
										"Expect: 100-continue\r\n",
										"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"};
	static char noise[20000];
	static uint8_t frame[30000];
	int32_t rounds = brTest_Rounds(test, 300);
	for (int32_t i = 0; i < rounds; ++i)
	{
		bool isSocket = brRandom_Below(&random, 2) == 0;
		int socketNumber = isSocket ? join(&served) : dial(&served);
		size_t count = 0;
		if (!isSocket)
		{
			// Words of HTTP in any order, now and then the true names, and bytes of any kind.
			for (uint32_t k = 1 + brRandom_Below(&random, 30); k > 0; --k)
			{
				uint32_t kind = brRandom_Below(&random, 6);
				const char* word = kind == 0   ? names.live
								   : kind == 1 ? names.host
											   : words[brRandom_Below(&random, sizeof(words) / sizeof(words[0]))];
				size_t length = strlen(word);
				if (kind == 2)
				{
					length = brRandom_Below(&random, 600);
					for (size_t b = 0; b < length; ++b)
					{
						noise[count + b] = (char)brRandom_Next(&random);
					}
				}
				else
				{
					memcpy(noise + count, word, length);
				}
				count += length;
				CHECK(count + 700 < sizeof(noise));
			}
			put(socketNumber, noise, count);
		}
		else
		{
			// Frames with damaged heads, lengths and payloads, and commands that are out of range.
			for (uint32_t k = 1 + brRandom_Below(&random, 5); k > 0; --k)
			{
				uint8_t payload[300];
				size_t length = brRandom_Below(&random, sizeof(payload));
				for (size_t b = 0; b < length; ++b)
				{
					payload[b] = (uint8_t)brRandom_Next(&random);
				}
				// Ends with something that no server takes, so that nothing good is among it by chance.
				payload[0] = (uint8_t)(200 + brRandom_Below(&random, 50));
				uint8_t head = brRandom_Below(&random, 3) == 0 ? (uint8_t)brRandom_Next(&random) : 0x82;
				size_t size = makeFrame(frame, head, payload, length);
				if (brRandom_Below(&random, 3) == 0)
				{
					frame[brRandom_Below(&random, size < 8 ? (uint32_t)size : 8)] = (uint8_t)brRandom_Next(&random);
				}
				put(socketNumber, frame, brRandom_Below(&random, 8) == 0 ? size / 2 : size);
			}
		}
		char answer[256];
		get(socketNumber, answer, sizeof(answer), 5);
		close(socketNumber);
	}
	CHECK(isAlive(&served));
	endServing(&served);
	// The world that nobody good touched: one body, nothing thrown, nothing broken.
	CHECK_MESSAGE(strstr(served.said, " 0 breaks, 0 pieces, 0 balls") != NULL, "%s", served.said);
}

BR_TEST(serve_more_connections_than_it_takes_do_no_harm)
{
	Served served = beginServing("127.0.0.1");
	int sockets[40];
	int32_t taken = 0;
	Names names = namesOf(&served);
	for (int32_t i = 0; i < 40; ++i)
	{
		sockets[i] = i % 2 == 0 ? dial(&served) : shake(&served, names.live, names.host, names.origin);
		if (i % 2 == 0)
		{
			put(sockets[i], "GET /", 5); // and never goes on
		}
		taken += i % 2 == 1 && sockets[i] >= 0;
	}
	CHECK(taken >= 1);
	for (int32_t i = 0; i < 40; ++i)
	{
		if (sockets[i] >= 0)
		{
			close(sockets[i]);
		}
	}
	bool isBack = false;
	for (int32_t i = 0; i < 20 && !isBack; ++i)
	{
		int socketNumber = shake(&served, names.live, names.host, names.origin);
		isBack = socketNumber >= 0;
		if (isBack)
		{
			close(socketNumber);
		}
		usleep(100000);
	}
	CHECK(isBack);
	CHECK(isAlive(&served));
	endServing(&served);
}

// Reads frames until the one that closes; then nothing else may come, and the connection ends or waits.
static void checkNothingAfterClose(int socketNumber)
{
	CHECK(readUntilClosed(socketNumber) > 1);
	char rest[256];
	size_t count = get(socketNumber, rest, sizeof(rest), 400);
	CHECK_MESSAGE(count == 0, "%zu bytes follow the frame that closes", count);
}

// Who is hung up on gets no more data and drives no more: the next client does at once.
BR_TEST(serve_close_is_the_last_frame)
{
	Served served = beginServing("127.0.0.1");
	int driver = join(&served), watcher = join(&served);
	uint8_t frame[64], bad[1] = {77}, close8[2] = {0x03, 0xe8};
	put(driver, frame, makeFrame(frame, 0x82, bad, 1));
	checkNothingAfterClose(driver);
	// The watcher drives now: its throw counts, while the first connection is still open.
	uint8_t throwBall[29] = {1};
	float numbers[7] = {0.0f, 0.0f, 1.0f, 0.0f, 0.0f, -1.0f, 0.05f};
	memcpy(throwBall + 1, numbers, sizeof(numbers));
	put(watcher, frame, makeFrame(frame, 0x82, throwBall, sizeof(throwBall)));
	usleep(300000);
	put(watcher, frame, makeFrame(frame, 0x88, close8, 2));
	checkNothingAfterClose(watcher);
	close(driver);
	close(watcher);
	CHECK(isAlive(&served));
	endServing(&served);
	CHECK_MESSAGE(strstr(served.said, " 1 ball") != NULL, "%s", served.said);
}

// Requests that never end do not keep a page out.
BR_TEST(serve_answers_while_requests_are_left_open)
{
	Served served = beginServing("127.0.0.1");
	Names names = namesOf(&served);
	int sockets[200];
	for (int32_t round = 0; round < 4; ++round)
	{
		if (round % 2 == 1) // all of them wait when it wakes
		{
			kill(served.child, SIGSTOP);
		}
		for (int32_t i = 0; i < 200; ++i)
		{
			sockets[i] = dial(&served);
			put(sockets[i], "GET / HTTP/1.1\r\nHost: ", 22);
		}
		kill(served.child, SIGCONT);
		// Before the server gives up on them, which it does after five seconds.
		time_t end = time(NULL) + 4;
		int status = 0;
		while (status != 200 && time(NULL) < end)
		{
			status = askFor(&served, names.page, names.host);
		}
		CHECK_EQUAL(status, 200);
		for (int32_t i = 0; i < 200; ++i)
		{
			close(sockets[i]);
		}
	}
	CHECK(isAlive(&served));
	endServing(&served);
}

// Resident memory of a process. [kB]
static long residentMemory(pid_t process)
{
	char path[64];
	long pages = 0, all = 0;
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)process);
	FILE* file = fopen(path, "r");
	CHECK(file != NULL && fscanf(file, "%ld %ld", &all, &pages) == 2);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// What a client has read and not yet understood, and the time of the world as the last frame told it.
typedef struct FrameStream
{
	uint8_t bytes[1 << 20];
	size_t count;
	double worldTime; // [s]
	double advanced;  // of the world's time since the first frame, over all beginnings [s]
} FrameStream;

// The rest of the answer to the handshake.
static void skipHeaders(int socketNumber)
{
	uint32_t last = 0;
	uint8_t byte;
	while (last != 0x0D0A0D0A && getByte(socketNumber, &byte))
	{
		last = last << 8 | byte;
	}
}

static void takeFrames(FrameStream* stream, int socketNumber)
{
	struct pollfd waiting = {socketNumber, POLLIN, 0};
	if (poll(&waiting, 1, 30) > 0)
	{
		ssize_t got = recv(socketNumber, stream->bytes + stream->count, sizeof(stream->bytes) - stream->count, 0);
		stream->count += got > 0 ? (size_t)got : 0;
	}
	size_t at = 0;
	while (at + 10 <= stream->count)
	{
		const uint8_t* head = stream->bytes + at;
		size_t size = head[1] & 127, skip = size < 126 ? 2 : size == 126 ? 4 : 10;
		for (size_t i = 2; i < skip; ++i)
		{
			size = (i == 2 ? 0 : size << 8) | head[i];
		}
		if (size > stream->count - at || skip + size > stream->count - at)
		{
			break;
		}
		const uint8_t* payload = head + skip;
		if ((head[0] & 15) == 2 && size > 10 && payload[0] == 3) // a frame of the world: flags, then its time
		{
			double now, last = stream->worldTime;
			memcpy(&now, payload + 2, sizeof(double));
			stream->advanced += last > 0.0 && now > last ? now - last : 0.0;
			stream->worldTime = now;
		}
		if ((head[0] & 15) == 9) // a ping: who does not answer is hung up on
		{
			uint8_t pong[256];
			put(socketNumber, pong, makeFrame(pong, 0x8A, payload, size < 125 ? size : 125));
		}
		at += skip + size;
	}
	memmove(stream->bytes, stream->bytes + at, stream->count - at);
	stream->count -= at;
}

static double clockSeconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Four plates of porcelain in a row, to be broken.
static const char s_plates[] = "ground: marble\nmodels: {plate: {make: plate, res: 12}}\nbodies:\n"
							   "  - {model: plate, material: porcelain, position: [0, 0, 0.02]}\n"
							   "  - {model: plate, material: porcelain, position: [0.3, 0, 0.02]}\n"
							   "  - {model: plate, material: porcelain, position: [0.6, 0, 0.02]}\n"
							   "  - {model: plate, material: porcelain, position: [0.9, 0, 0.02]}\n";

// kB of freed memory that stay resident: the address sanitizer holds 256 MB back to see late uses.
#ifdef BR_SANITIZED
static const long s_heldBack = 256 * 1024;
#else
static const long s_heldBack = 0;
#endif

// Two seconds of throws and of traffic that no page sends; ten minutes with --intensity 300. The driver goes on getting
// frames, the world keeps up with the clock, and memory does not grow with the time.
BR_TEST(soak_serve_with_throws_and_hostile_traffic)
{
	Served served = beginServingScene("127.0.0.1", s_plates);
	brRandom random = brTest_Random(test);
	int driver = join(&served);
	skipHeaders(driver);
	static FrameStream stream;
	stream = (FrameStream){0};
	double start = clockSeconds(), seconds = 1.0 + brTest_Rounds(test, 2);
	double firstClock = 0.0, passed;
	long early = 0, late = 0, throws = 0, strangers = 0;
	while ((passed = clockSeconds() - start) < seconds)
	{
		uint8_t frame[512];
		if (passed >= 0.2 * (double)throws) // as fast as a hand is
		{
			uint8_t throwBall[29] = {1}, begin = 8;
			float numbers[7] = {0.0f, 0.0f, 1.0f, 0.0f, 0.0f, -5.0f, 0.05f};
			numbers[0] = (float)brRandom_Below(&random, 100) * 0.01f;
			memcpy(throwBall + 1, numbers, sizeof(numbers));
			put(driver, frame, makeFrame(frame, 0x82, throwBall, sizeof(throwBall)));
			throws += 1;
			if (throws % 100 == 0)
			{
				put(driver, frame, makeFrame(frame, 0x82, &begin, 1)); // whole plates again
			}
		}
		uint8_t junk[256];
		for (size_t i = 0; i < sizeof(junk); ++i)
		{
			junk[i] = (uint8_t)brRandom_Below(&random, 256);
		}
		int stranger = brRandom_Below(&random, 2) == 0 ? dial(&served) : join(&served);
		put(stranger, frame,
			makeFrame(frame, (uint8_t)brRandom_Below(&random, 256), junk, brRandom_Below(&random, 125)));
		put(stranger, junk, sizeof(junk));
		takeFrames(&stream, driver);
		close(stranger);
		strangers += 1;
		firstClock = firstClock == 0.0 && stream.worldTime > 0.0 ? clockSeconds() : firstClock;
		long now = residentMemory(served.child);
		long* most = 2.0 * passed < seconds ? &early : &late;
		*most = now > *most ? now : *most;
	}
	double rate = stream.advanced / (clockSeconds() - firstClock);
	printf("%.0f s, %ld throws, %ld strangers, rate %.3f; %ld kB, then %ld kB\n", seconds, throws, strangers, rate,
		   early, late);
	CHECK(stream.advanced > 0.0);
	CHECK_MESSAGE(late < early + early / 2 + 20000 + s_heldBack, "memory grows: %ld kB, then %ld kB", early, late);
	close(driver);
	CHECK(isAlive(&served));
	endServing(&served);
}

// Exit code of the program with these words; what it says to stderr goes to `said`.
static int runServe(const char* words, char* said, size_t capacity)
{
	char line[2048], path[256];
	snprintf(path, sizeof(path), "%s", brTest_ScratchPath("stderr"));
	snprintf(line, sizeof(line), "%s serve %s >/dev/null 2>%s </dev/null", brTest_Program(), words, path);
	int status = system(line);
	FILE* file = fopen(path, "rb");
	CHECK(file != NULL && WIFEXITED(status));
	said[fread(said, 1, capacity - 1, file)] = 0;
	fclose(file);
	return WEXITSTATUS(status);
}

BR_TEST(serve_says_in_one_sentence_what_is_wrong)
{
	char said[1024], words[512];
	CHECK_EQUAL(runServe("--help", said, sizeof(said)), 0);
	CHECK_EQUAL(runServe("", said, sizeof(said)), 2);
	CHECK_EQUAL(runServe("a.yaml --port 80", said, sizeof(said)), 2);
	CHECK(strstr(said, "1024 to 65535") != NULL);
	CHECK_EQUAL(runServe("a.yaml --listen example.org", said, sizeof(said)), 2);
	CHECK(strstr(said, "IPv4") != NULL);
	// Without libwebsockets that is what it says, whatever the scene.
	CHECK_EQUAL(runServe("no_such.yaml", said, sizeof(said)), 1);
	CHECK(strstr(said, "no_such.yaml") != NULL || strstr(said, "libwebsockets-dev") != NULL);
	CHECK(strchr(said, '\n') == said + strlen(said) - 1);

	Served served = beginServing("127.0.0.1");
	snprintf(words, sizeof(words), "%s/scenes/live_plates.yaml --no-open --port %d", BR_SOURCE_DIR, served.port);
	setenv("BRITTLE_VIEWER", brTest_ScratchPath("page.html"), 1);
	CHECK_EQUAL(runServe(words, said, sizeof(said)), 1);
	CHECK_MESSAGE(strstr(said, "cannot be had") != NULL, "%s", said);
	snprintf(words, sizeof(words), "%s/scenes/live_plates.yaml --no-open --port 0 --listen 8.8.8.8", BR_SOURCE_DIR);
	CHECK_EQUAL(runServe(words, said, sizeof(said)), 1);
	CHECK_MESSAGE(strstr(said, "cannot be had") != NULL, "%s", said);
	endServing(&served);
}
