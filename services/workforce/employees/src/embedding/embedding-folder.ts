/** What an operator can mend before an embedding model is loaded. */
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of the folder. */
export const filesOf = (folder: string) => ({
  model: join(folder, 'model.onnx'),
  tokenizer: join(folder, 'tokenizer.json'),
})

/** How a text's vector is made, where sentence-transformers has said so: without it, of the mean. */
const poolingOf = (folder: string) => join(folder, '1_Pooling/config.json')

const MOST_MODEL_BYTES = 512 * 2 ** 20
const MOST_TOKENIZER_BYTES = 16 * 2 ** 20
const MAKE = 'docs/workforce.md says how to make both'

/** How the sentence goes on that begins with the setting; undefined where nothing is to be mended. */
export async function embeddingFault(folder: string): Promise<string | undefined> {
  const { model, tokenizer } = filesOf(folder)
  return (
    (await sizeFault(model, MOST_MODEL_BYTES)) ??
    (await sizeFault(tokenizer, MOST_TOKENIZER_BYTES)) ??
    (await jsonFault(tokenizer)) ??
    (await poolingFault(poolingOf(folder)))
  )
}

async function sizeFault(file: string, most: number): Promise<string | undefined> {
  try {
    await using handle = await open(file)
    const stat = await handle.stat()
    if (!stat.isFile()) return `must be a folder with model.onnx and tokenizer.json, and ${file} is no file; ${MAKE}`
    if (stat.size > most) return `names a folder whose ${file} has over ${most / 2 ** 20} MiB, the most that is loaded`
  } catch (error) {
    return `must be a folder with model.onnx and tokenizer.json that can be read: ${(error as Error).message}; ${MAKE}`
  }
}

async function jsonFault(file: string): Promise<string | undefined> {
  try {
    JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return `must be a folder with a tokenizer.json as Hugging Face's tokenizers write it, and ${file} is no JSON; ${MAKE}`
  }
}

async function poolingFault(file: string): Promise<string | undefined> {
  try {
    const modes = Object.entries(JSON.parse(await readFile(file, 'utf8')))
      .filter(([key, on]) => key.startsWith('pooling_mode_') && on === true)
      .map(([key]) => key)
    if (String(modes) !== 'pooling_mode_mean_tokens')
      return `must be a folder with a model whose vectors are the mean of its tokens’, and ${file} asks for ${modes.join(', ') || 'none of the known ways'}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return `must be a folder whose ${file}, where it is there, can be read as JSON`
  }
}
