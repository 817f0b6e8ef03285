// SPDX-License-Identifier: MIT

// All pairs by testing all pairs: the method that cannot be wrong.

#include "index/pairs.h"

brResult brFindPairsBrute(brPairSearch* search, const brContext* context, const brBoxSource* source,
						  const int32_t* treeStarts, int32_t treeCount, const brBoxSource* second, brReport* report)
{
	brCurveOrder* orders[2] = {&search->trees[0].order, &search->trees[1].order};
	const brBoxSource* sources[2] = {source, second};
	int32_t sourceCount = second != NULL ? 2 : 1;
	for (int32_t i = 0; i < sourceCount; ++i)
	{
		brBoxMaker* maker = &orders[i]->maker;
		brResult result = brBoxMaker_Prepare(maker, NULL, sources[i], report);
		if (result < 0)
		{
			return result;
		}
		if (!brStageMemory_Ensure(&orders[i]->boxes, &search->allocator, sources[i]->count, sizeof(brTreeBox)))
		{
			return brFailMemory(report);
		}
		brBoxMaker_Fill(maker, 0, sources[i]->count, orders[i]->boxes.data);
	}
	const brTreeBox *boxes = orders[0]->boxes.data, *others = orders[sourceCount - 1]->boxes.data;
	int32_t tree = 0;
	for (int32_t i = 0; i < source->count; ++i)
	{
		while (second == NULL && tree < treeCount && i >= treeStarts[tree + 1])
		{
			tree += 1;
		}
		int32_t ownEnd = second == NULL ? treeStarts[tree + 1] : 0;
		int32_t begin = second != NULL ? 0 : search->def.enableSelf ? i + 1 : ownEnd;
		int32_t end = second != NULL ? second->count : search->def.enableInter ? source->count : ownEnd;
		brBox3 box = brTreeBox_Box(&boxes[i]);
		for (int32_t j = begin; j < end; ++j)
		{
			if (brBox3_Overlaps(box, brTreeBox_Box(&others[j])))
			{
				if (!brPairBuffer_Reserve(&search->pairs, 1))
				{
					return brFailMemory(report);
				}
				search->pairs.pairs[search->pairs.count++] = (brPair){i, j};
			}
		}
		if (i % 1024 == 0 && brIsCanceled(context, (double)i / source->count))
		{
			return brFail(report, br_errorCanceled, "canceled while testing all pairs of boxes");
		}
	}
	return br_success;
}
