/** A text as the tensors of a model of the BERT family. */
import { encoderInputs, openTokenizer } from '@millhand/embedding'
import { InputInvalid, readOnnxMetadata, type Tensor, type TensorSpec, TOKENIZER } from '@millhand/model'

/** Reads a text by the tokenizer in a model's file. Throws where that has none; what it gives throws `InputInvalid`. */
export function tokensReader(
  model: Uint8Array,
  inputs: readonly Pick<TensorSpec, 'name'>[],
): (text: string) => ReadonlyMap<string, Tensor> {
  const json = readOnnxMetadata(model, TOKENIZER)
  if (json === undefined)
    throw new Error(`its file has no \`${TOKENIZER}\` in its metadata, by which texts become tokens`)
  return textReader(json, inputs)
}

/** The same by a tokenizer beside the file. */
export function textReader(
  tokenizer: string,
  inputs: readonly Pick<TensorSpec, 'name'>[],
): (text: string) => ReadonlyMap<string, Tensor> {
  const tokenize = openTokenizer(tokenizer)
  const names = inputs.map(({ name }) => name)
  return text => {
    if (text.trim() === '') throw new InputInvalid('the text is empty')
    return encoderInputs(names, [tokenize(text)])
  }
}
