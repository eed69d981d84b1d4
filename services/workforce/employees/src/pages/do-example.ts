import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Brief } from '../brief.ts'
import type { KindSpec } from '../catalogue.ts'
import { type Measured, runRules } from '../run-rules.ts'
import { runLanguageModel } from '../runner/run-language-model.ts'

/**
 * Does the example of a kind as the service would do it for who sends just that: the same brief, so the same seed. Of a kind
 * that has no rules the words are those of its `shown.json`, taken and measured as a language model's are.
 */
export async function doExample(kind: KindSpec): Promise<Measured> {
  const brief: Brief = { topic: '', tone: '', input: {}, constraints: {}, seed: 0, ...kind.example, files: [] }
  if (kind.engines.includes('rules')) return await runRules(kind, brief)
  return await runLanguageModel(kind, brief, () => readFile(join(kind.folder, 'shown.json'), 'utf8'))
}
