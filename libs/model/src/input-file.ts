/** Files in the place of inputs: how large they may be, and whether one can be what a model needs, as far as it tells. */
import type { ModelPackage } from './catalogue.ts'
import { checkInput, checkTensors, MAX_PARSED_CHARACTERS } from './check-input.ts'
import { checkHead } from './data-uri.ts'
import type { InputFormat } from './manifest.ts'
import { formatOf, MOST_FILE_BYTES, tooLarge } from './tensor-files/format.ts'
import { safetensorsIn } from './tensor-files/safetensors.ts'
import { InputInvalid } from './tensors.ts'
import { readUtf8 } from './utf8.ts'

const MIB = 2 ** 20

/**
 * Text is read whole, and JSON takes several times its size; an hour of sound in 16 bits and 32 kHz has 220 MiB. Of
 * bytes only the beginning and the end are read: as large as a file may be. Who generates text reads less of it.
 */
const MOST_BYTES: Readonly<Record<InputFormat, number>> = {
  text: 16 * MIB,
  json: 16 * MIB,
  tensors: Math.max(...Object.values(MOST_FILE_BYTES)),
  image: 64 * MIB,
  audio: 256 * MIB,
  bytes: 512 * MIB,
}

/** How much of a file `checkInputFile` looks at. */
export const INPUT_HEAD_BYTES = MAX_PARSED_CHARACTERS

/** Why the file cannot be the model's input; undefined when it can. `head`: its first `INPUT_HEAD_BYTES`. */
export function checkInputFile(model: ModelPackage, bytes: number, head: Buffer): string | undefined {
  const { inputFormat, processing } = model.manifest
  const most = processing.kind === 'text_generation' ? MIB : MOST_BYTES[inputFormat]
  if (bytes > most) return `the file has ${bytes} bytes; this model reads files of at most ${most}`
  try {
    if (inputFormat === 'tensors') return checkTensorFile(model, bytes, head)
    if (inputFormat === 'image' || inputFormat === 'audio') checkHead(head, inputFormat)
    else if (inputFormat !== 'bytes' && bytes <= head.length) return checkInput(model, readUtf8(head))
    return undefined
  } catch (error) {
    if (error instanceof InputInvalid) return error.message
    throw error
  }
}

/** Of a zip file the beginning says nothing; its arrays are checked where they are read. Throws `InputInvalid`. */
function checkTensorFile(model: ModelPackage, bytes: number, head: Buffer): string | undefined {
  const format = formatOf(head)
  if (bytes > MOST_FILE_BYTES[format]) return tooLarge(bytes, format)
  if (format === 'safetensors') {
    const found = safetensorsIn(head, bytes)
    if (found) checkTensors(model.inputs, { tensors: new Map(found.map(tensor => [tensor.name, tensor])) })
  } else if (format === 'json' && bytes <= head.length) return checkInput(model, readUtf8(head))
  return undefined
}
