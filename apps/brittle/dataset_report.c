// SPDX-License-Identifier: MIT
#include "dataset_report.h"

#include <stdlib.h>
#include <string.h>

enum
{
	reportMethods = 4,
	reportLine = 1 << 16, // longest row
	pieceBins = 200,
	shareBins = 20,
};

static const char* const s_methods[reportMethods] = {"shatter", "crack", "drop", "shoot"};

bool isDatasetWhole(const Dataset* dataset)
{
	for (int32_t i = 0; i < dataset->shardCount; ++i)
	{
		if (!isShardDone(dataset, i))
		{
			return false;
		}
	}
	return true;
}

// Rows are ours: a key is found by its quotes and colon.
static const char* findValue(const char* row, const char* key)
{
	char quoted[64];
	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	const char* at = strstr(row, quoted);
	return at != NULL ? at + strlen(quoted) : NULL;
}

static double rowNumber(const char* row, const char* key)
{
	const char* at = findValue(row, key);
	return at != NULL ? strtod(at, NULL) : 0.0;
}

static void rowText(const char* row, const char* key, char* out, size_t bytes)
{
	const char* at = findValue(row, key);
	size_t used = 0;
	out[0] = 0;
	if (at == NULL)
	{
		return;
	}
	bool isQuoted = *at == '"';
	for (at += isQuoted; *at != 0 && *at != (isQuoted ? '"' : ',') && *at != '}' && *at != '\n' && used + 1 < bytes;
		 ++at)
	{
		out[used++] = *at;
	}
	out[used] = 0;
}

typedef struct MethodStats
{
	int32_t samples, whole; // whole: one piece
	double pieces, contacts, fractureArea, fractureEnergy, blowEnergy, largest;
	int32_t fewest, most;
	double worstVolume; // largest gap between the volumes of object and pieces, over the object's
	int32_t byPieces[pieceBins + 1], byShare[shareBins];
} MethodStats;

typedef struct Stats
{
	MethodStats methods[reportMethods];
	int32_t failed;
	int64_t bytes, pieces;
} Stats;

static void countRow(Stats* stats, const char* row)
{
	char method[32] = "";
	rowText(row, "method", method, sizeof(method));
	int32_t kind = 0;
	while (kind < reportMethods && strcmp(s_methods[kind], method) != 0)
	{
		kind += 1;
	}
	if (kind == reportMethods)
	{
		stats->failed += 1;
		return;
	}
	MethodStats* one = &stats->methods[kind];
	int32_t pieces = (int32_t)rowNumber(row, "pieces");
	double volume = rowNumber(row, "volume"), share = rowNumber(row, "largest_share");
	double gap = fabs(rowNumber(row, "pieces_volume") - volume) / volume;
	one->fewest = one->samples == 0 || pieces < one->fewest ? pieces : one->fewest;
	one->most = pieces > one->most ? pieces : one->most;
	one->samples += 1;
	one->whole += pieces == 1;
	one->pieces += pieces;
	one->contacts += rowNumber(row, "contacts");
	one->fractureArea += rowNumber(row, "fracture_area");
	one->fractureEnergy += rowNumber(row, "fracture_energy");
	one->blowEnergy += rowNumber(row, "blow_energy");
	one->largest += share;
	one->worstVolume = gap > one->worstVolume ? gap : one->worstVolume;
	one->byPieces[pieces < pieceBins ? pieces : pieceBins] += 1;
	int32_t bin = (int32_t)(share * shareBins);
	one->byShare[bin < 0 ? 0 : bin >= shareBins ? shareBins - 1 : bin] += 1;
	stats->bytes += (int64_t)rowNumber(row, "bytes");
	stats->pieces += pieces;
}

static void writeCsvRow(FILE* csv, const char* row)
{
	static const char* const keys[] = {
		"key",         "object",     "method",        "pattern",       "material",      "ground",
		"seed",        "attempts",   "pieces",        "contacts",      "vertices",      "triangles",
		"size",        "volume",     "pieces_volume", "largest_share", "fracture_area", "fracture_energy",
		"blow_energy", "blow_speed", "blow_mass",     "blow_height",   "shard",         "error",
	};
	enum
	{
		keyCount = sizeof(keys) / sizeof(keys[0]),
	};
	for (int32_t i = 0; i < keyCount; ++i)
	{
		char text[600];
		rowText(row, keys[i], text, sizeof(text));
		bool isQuoted = strpbrk(row != NULL ? text : "", ",\"") != NULL;
		fprintf(csv, isQuoted ? "\"%s\"%s" : "%s%s", row != NULL ? text : keys[i], i + 1 < keyCount ? "," : "\n");
	}
}

// Both manifests in one walk over the rows.
static brResult saveManifests(const Dataset* dataset, Stats* stats, brReport* report)
{
	char path[1280];
	WholeFile lines = {0}, csv = {0};
	char* row = malloc(reportLine);
	snprintf(path, sizeof(path), "%s/manifest.jsonl", dataset->folder);
	brResult result = row != NULL ? openWhole(&lines, path, report) : br_errorMemory;
	snprintf(path, sizeof(path), "%s/manifest.csv", dataset->folder);
	result = result < 0 ? result : openWhole(&csv, path, report);
	if (result >= 0)
	{
		fprintf(
			csv.file,
			"key,object,method,pattern,material,ground,seed,attempts,pieces,contacts,vertices,triangles,size,volume,"
			"pieces_volume,largest_share,fracture_area,fracture_energy,blow_energy,blow_speed,blow_mass,"
			"blow_height,shard,error\n");
	}
	for (int32_t i = 0; i < dataset->shardCount && result >= 0; ++i)
	{
		shardPath(dataset, i, "jsonl", path, sizeof(path));
		FILE* rows = brOs_OpenStream(path, "rb");
		while (rows != NULL && fgets(row, reportLine, rows) != NULL)
		{
			fputs(row, lines.file);
			writeCsvRow(csv.file, row);
			countRow(stats, row);
		}
		if (rows != NULL)
		{
			fclose(rows);
		}
	}
	result = result < 0 ? result : closeWhole(&csv, true, report);
	result = result < 0 ? result : closeWhole(&lines, true, report);
	dropWhole(&csv);
	dropWhole(&lines);
	free(row);
	return result;
}

static brResult saveTable(const Dataset* dataset, const Stats* stats, brReport* report)
{
	char path[1280];
	WholeFile table;
	snprintf(path, sizeof(path), "%s/statistics.csv", dataset->folder);
	brResult result = openWhole(&table, path, report);
	if (result < 0)
	{
		return result;
	}
	fprintf(table.file,
			"method,samples,in_one_piece,fewest_pieces,mean_pieces,most_pieces,mean_contacts,mean_largest_share,"
			"mean_fracture_area_m2,mean_fracture_energy_J,mean_blow_energy_J,worst_volume_gap\n");
	for (int32_t i = 0; i < reportMethods; ++i)
	{
		const MethodStats* one = &stats->methods[i];
		double n = one->samples > 0 ? one->samples : 1.0;
		if (one->samples > 0)
		{
			fprintf(table.file, "%s,%d,%d,%d,%.6g,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.3g\n", s_methods[i], one->samples,
					one->whole, one->fewest, one->pieces / n, one->most, one->contacts / n, one->largest / n,
					one->fractureArea / n, one->fractureEnergy / n, one->blowEnergy / n, one->worstVolume);
		}
	}
	return closeWhole(&table, true, report);
}

// Curves as tools/plot draws them.
static brResult saveCurve(const Dataset* dataset, const Stats* stats, bool isPieces, brReport* report)
{
	char path[1280];
	WholeFile curve;
	snprintf(path, sizeof(path), "%s/%s.csv", dataset->folder, isPieces ? "plot-pieces" : "plot-largest");
	brResult result = openWhole(&curve, path, report);
	if (result < 0)
	{
		return result;
	}
	fprintf(curve.file,
			isPieces ? "# title: Samples by number of pieces\n# x: at least so many pieces\n# y: share of samples\n"
					   "# log: x\n# from: 0\nline,x,y\n"
					 : "# title: Samples by their largest piece\n# x: share of the volume in the largest piece\n"
					   "# y: share of samples\n# from: 0\nline,x,y\n");
	for (int32_t i = 0; i < reportMethods; ++i)
	{
		const MethodStats* one = &stats->methods[i];
		int32_t left = one->samples;
		for (int32_t k = 1; isPieces && k <= pieceBins && left > 0; ++k)
		{
			fprintf(curve.file, "%s,%d,%.5g\n", s_methods[i], k, (double)left / one->samples);
			left -= one->byPieces[k];
		}
		for (int32_t k = 0; !isPieces && k < shareBins && one->samples > 0; ++k)
		{
			fprintf(curve.file, "%s,%.4g,%.5g\n", s_methods[i], (k + 0.5) / shareBins,
					(double)one->byShare[k] / one->samples);
		}
	}
	return closeWhole(&curve, true, report);
}

static void writeCardHead(const Dataset* dataset, const Stats* stats, FILE* card)
{
	const brRecipeInfo* info = &dataset->info;
	fprintf(card, "---\nannotations_creators: [machine-generated]\ntask_categories: [other]\ntags: [fracture, "
				  "reassembly, 3d]\n---\n\n");
	fprintf(card, "# %s\n\n", info->title[0] != 0 ? info->title : "Broken things");
	fprintf(card, "%d samples of %d objects, %lld pieces; made by brittle %s from `recipe.yaml`, seed %llu.\n",
			(int)info->sampleCount, (int)info->objectCount, (long long)stats->pieces, brGetVersion(),
			(unsigned long long)info->seed);
	if (stats->failed > 0)
	{
		fprintf(card, "%d samples could not be made: the column `error` of the manifest says why.\n",
				(int)stats->failed);
	}
	fprintf(card,
			"Sample i depends on the recipe, its seed and i alone: `brittle dataset recipe.yaml -o DIR` makes the same "
			"bytes again, on any number of machines.\n\n");
	fprintf(card, "| method | samples | in one piece | pieces | contacts | largest piece | fracture energy "
				  "|\n|---|---|---|---|---|---|---|\n");
	for (int32_t i = 0; i < reportMethods; ++i)
	{
		const MethodStats* one = &stats->methods[i];
		double n = one->samples > 0 ? one->samples : 1.0;
		if (one->samples > 0)
		{
			fprintf(card, "| %s | %d | %d | %d to %d, mean %.1f | %.1f | %.0f %% | %.3g J |\n", s_methods[i],
					(int)one->samples, (int)one->whole, (int)one->fewest, (int)one->most, one->pieces / n,
					one->contacts / n, 100.0 * one->largest / n, one->fractureEnergy / n);
		}
	}
}

static void writeCardFiles(const Dataset* dataset, FILE* card)
{
	fprintf(
		card,
		"\n## Files\n\n`manifest.jsonl` and `manifest.csv` have a row a sample; `statistics.csv` sums them; "
		"`plot-*.csv` are curves (tools/plot draws them). Lengths are metres, energies joules, masses kilograms; the "
		"object stands on z = 0, and all pieces are in its frame.\n\n");
	if (dataset->info.isFolders)
	{
		fprintf(
			card,
			"`OBJECT/fractured_K/piece_I.obj`: a closed mesh a piece, fracture faces in the group `fracture`. Beside "
			"them:\n\n");
	}
	else
	{
		fprintf(
			card,
			"`shard-NNNNNN.tar` (WebDataset: files of a sample share their key):\n\n"
			"| ending | array | what |\n|---|---|---|\n| vertices.npy | float64 V x 3 | corners of all pieces |\n"
			"| faces.npy | int32 F x 3 | triangles, outward |\n| face_piece.npy | int32 F | piece of each triangle |\n"
			"| face_fracture.npy | uint8 F | 1: the break made it |\n");
	}
	fprintf(card, dataset->info.isFolders ? "| file | array | what |\n|---|---|---|\n" : "");
	fprintf(card, "| edges.npy | int32 E x 2 | pieces that touch, both ways |\n| edge_area.npy | float64 E | area of "
				  "contact |\n");
	if (dataset->info.pointsPerPiece > 0)
	{
		fprintf(card,
				"| points.npy | float32 P x %d x 6 | points on each piece, even by area, with normals |\n"
				"| point_fracture.npy | uint8 P x %d | 1: on a fracture face |\n",
				(int)dataset->info.pointsPerPiece, (int)dataset->info.pointsPerPiece);
	}
	fprintf(card,
			"| %s | | object, method, material, blow; volume, mass, center and pose (`position`, `quaternion` x y z w, "
			"after the play) of each piece; contacts |\n",
			dataset->info.isFolders ? "sample.json" : "json");
	fprintf(card, "\n`tools/check_dataset DIR` of brittle checks every sample with numpy alone.\n");
}

brResult saveReport(const Dataset* dataset, brReport* report)
{
	Stats* stats = calloc(1, sizeof(Stats));
	if (stats == NULL)
	{
		return report->code = br_errorMemory;
	}
	char path[1280];
	WholeFile card;
	brResult result = saveManifests(dataset, stats, report);
	result = result < 0 ? result : saveTable(dataset, stats, report);
	result = result < 0 ? result : saveCurve(dataset, stats, true, report);
	result = result < 0 ? result : saveCurve(dataset, stats, false, report);
	snprintf(path, sizeof(path), "%s/README.md", dataset->folder);
	result = result < 0 ? result : openWhole(&card, path, report);
	if (result >= 0)
	{
		writeCardHead(dataset, stats, card.file);
		writeCardFiles(dataset, card.file);
		result = closeWhole(&card, true, report);
	}
	free(stats);
	return result;
}
