// SPDX-License-Identifier: MIT

// Messages between processes that one launcher started. Built with MPI into
// brittle-mpi, without it into brittle, where there is one rank.

#include "dataset_work.h"

#include <stdlib.h>
#include <string.h>

#ifdef BR_HAVE_MPI

#include <mpi.h>

enum
{
	tagDone = 1,
	tagNext = 2,
};

static int32_t s_rank, s_count = 1;

bool beginRanks(const CommandLine* line)
{
	int provided = 0, rank = 0, count = 1;
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
	{
		failDataText(line, "MPI could not be started");
		return false;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	s_rank = rank;
	s_count = count;
	return true;
}

void endRanks(void)
{
	MPI_Finalize();
}

int32_t rankNumber(void)
{
	return s_rank;
}

int32_t rankCount(void)
{
	return s_count;
}

// MPI would wait with a processor of its own, which others may need: sleep
// between looks.
RankMessage askRank0(const RankMessage* done)
{
	RankMessage next;
	MPI_Request request;
	int isThere = 0;
	MPI_Irecv(&next, (int)sizeof(next), MPI_BYTE, 0, tagNext, MPI_COMM_WORLD, &request);
	MPI_Send(done, (int)sizeof(*done), MPI_BYTE, 0, tagDone, MPI_COMM_WORLD);
	while (MPI_Test(&request, &isThere, MPI_STATUS_IGNORE) == MPI_SUCCESS && !isThere)
	{
		sleepFor(0.0001);
	}
	return next;
}

bool receiveFromRank(RankMessage* outMessage, int32_t* outRank)
{
	int isThere = 0;
	MPI_Status status;
	// A look that finds nothing may have fetched what the next one finds.
	for (int32_t look = 0; look < 2 && !isThere && s_count > 1; ++look)
	{
		if (MPI_Iprobe(MPI_ANY_SOURCE, tagDone, MPI_COMM_WORLD, &isThere, &status) != MPI_SUCCESS)
		{
			return false;
		}
	}
	if (!isThere)
	{
		return false;
	}
	MPI_Recv(outMessage, (int)sizeof(*outMessage), MPI_BYTE, status.MPI_SOURCE, tagDone, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	*outRank = status.MPI_SOURCE;
	return true;
}

void answerRank(const RankMessage* message, int32_t rank)
{
	MPI_Send(message, (int)sizeof(*message), MPI_BYTE, rank, tagNext, MPI_COMM_WORLD);
}

int32_t shareNumber(int32_t number)
{
	MPI_Bcast(&number, 1, MPI_INT32_T, 0, MPI_COMM_WORLD);
	return number;
}

#else

// How many copies of this program a launcher of MPI says it has started: Open
// MPI, then those that speak PMI (MPICH, Intel). Slurm alone is no launcher of
// MPI: an array job starts copies that are told apart by --part.
static int32_t launchedCopies(void)
{
	static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
	{
		const char* text = getenv(names[i]);
		if (text != NULL && atoi(text) > 0)
		{
			return atoi(text);
		}
	}
	return 1;
}

bool beginRanks(const CommandLine* line)
{
	int32_t copies = launchedCopies();
	if (copies > 1)
	{
		failUsage(line,
				  "%d copies were started and this program cannot talk to the "
				  "others: start brittle-mpi instead, which is "
				  "built where MPI is installed (Debian: libopenmpi-dev)",
				  (int)copies);
	}
	return copies <= 1;
}

void endRanks(void)
{
}

int32_t rankNumber(void)
{
	return 0;
}

int32_t rankCount(void)
{
	return 1;
}

RankMessage askRank0(const RankMessage* done)
{
	return *done;
}

bool receiveFromRank(RankMessage* outMessage, int32_t* outRank)
{
	(void)outMessage, (void)outRank;
	return false;
}

void answerRank(const RankMessage* message, int32_t rank)
{
	(void)message, (void)rank;
}

int32_t shareNumber(int32_t number)
{
	return number;
}

#endif
