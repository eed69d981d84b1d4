import { withoutOwnPaths } from '@millhand/api/redact-paths'
import type { ItemResult } from '@millhand/child-process'
import type { Made } from './from-child.ts'

/** What an answer came by, as results say it. */
export interface EngineUsed {
  readonly kind: 'rules' | 'llm' | 'hybrid'
  readonly name: string
  readonly model?: string
}

/** What a run has made, as the item's result: its output is written once the ids of its files are known. */
export function resultOf({ result, text, citations, checks, warnings, files }: Made, engine: EngineUsed): ItemResult {
  return {
    ok: true,
    artifacts: files,
    outputOf(ids) {
      const artifacts = files.map(({ name, mediaType }, at) => ({ name, media_type: mediaType, file: ids[at] }))
      const rest = JSON.stringify({ text, artifacts, citations, checks, warnings })
      return withoutOwnPaths(`{"engine":${JSON.stringify(engine)},"result":${result},${rest.slice(1)}`)
    },
  }
}
