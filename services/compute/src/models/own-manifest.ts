/** The manifest of an account's own model: what its owner says of it, and what was found in its file. */
import { fail } from '@millhand/api'
import { type Manifest, ManifestInvalid, type OnnxInspection, parseManifest, processingFault } from '@millhand/model'

/** The fields of `model.json` that a request may have. */
export interface ModelFields {
  readonly name: string
  readonly description?: string | undefined
  readonly preprocess?: unknown
  readonly postprocess?: unknown
  readonly labels: readonly string[]
  readonly batchable?: boolean | undefined
  readonly max_batch?: number | undefined
  readonly license?: string | undefined
  readonly metrics: Readonly<Record<string, number>>
  readonly example_input?: string | undefined
}

/** Characters of JSON: it is in the model's document, and lent with every run. */
const MOST_MANIFEST = 262_144

/** JSON text as `model.json` has it, without `files`. Fails where the fields say what they must not, or do not fit the file. */
export function manifestOf(fields: ModelFields, inspection?: OnnxInspection): string {
  const { labels, ...others } = fields
  const text = JSON.stringify({
    ...others,
    ...(labels.length > 0 && { labels }),
    ...(inspection && { inputs: inspection.inputs, outputs: inspection.outputs }),
  })
  if (text.length > MOST_MANIFEST) {
    throw fail(
      'payload_too_large',
      `A model's fields, with its inputs and outputs, have at most ${MOST_MANIFEST} characters of JSON.`,
    )
  }
  const manifest = parse(text)
  const fault = inspection && processingFault(manifest, inspection.inputs, inspection.outputs)
  if (fault) throw fail('invalid_parameter', `${fault.message}.`, { param: fault.field })
  return text
}

function parse(text: string): Manifest {
  try {
    return parseManifest(text)
  } catch (error) {
    if (!(error instanceof ManifestInvalid)) throw error
    const [, param = 'name'] = /^`([^`]+)`/.exec(error.message) ?? []
    throw fail('invalid_parameter', `${error.message}.`, { param })
  }
}
