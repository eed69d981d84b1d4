/** What an ONNX file has in its `metadata_props`: texts by their names, which ONNX Runtime passes over. */
import { type Field, fieldsOf, LENGTH, textOf } from './protobuf.ts'

/** The name of the tokenizer of a model whose `preprocess` is `tokens`: what `tokenizer.json` of Hugging Face's tokenizers has. */
export const TOKENIZER = 'tokenizer.json'

/** Undefined where the file has no such text. The bytes were read before (`readOnnx`). */
export function readOnnxMetadata(bytes: Uint8Array, name: string): string | undefined {
  for (const field of fieldsOf(bytes, 0, bytes.length)) {
    if (field.number !== METADATA || field.wire !== LENGTH) continue
    const entry = new Map(
      [...fieldsOf(bytes, field.start, field.end)].map((each): [number, Field] => [each.number, each]),
    )
    const [key, value] = [entry.get(KEY), entry.get(VALUE)]
    if (key && value && textOf(bytes, key) === name) return textOf(bytes, value)
  }
  return undefined
}

/** ModelProto.metadata_props, and the fields of StringStringEntryProto, of onnx.proto3. */
const METADATA = 14
const KEY = 1
const VALUE = 2
