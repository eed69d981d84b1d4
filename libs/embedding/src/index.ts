export { batchesOf, openEncoder, type SentenceEncoder } from './sentence-encoder.ts'
export { encoderInputs, openTokenizer, type TokenizedText } from './tokens.ts'
