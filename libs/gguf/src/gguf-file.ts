/** What an operator can mend before a local language model is loaded. */
import { open } from 'node:fs/promises'

/** How the sentence goes on that begins with what needs it; undefined where the package is there. */
export function missingPackage(): string | undefined {
  try {
    import.meta.resolve('node-llama-cpp')
  } catch {
    return 'needs the package node-llama-cpp, which is not installed: `pnpm install` without `--no-optional` installs it'
  }
}

/** How the sentence goes on that begins with the setting; undefined where nothing is to be mended. */
export async function ggufFault(file: string): Promise<string | undefined> {
  const missing = missingPackage()
  if (missing !== undefined) return missing
  try {
    await using handle = await open(file)
    const { buffer } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    if (!buffer.equals(MAGIC)) return `must be a file of the form GGUF, and ${file} is none`
  } catch (error) {
    return `must be a file that can be read: ${(error as Error).message}`
  }
}

/** Every file of that form begins with it. */
const MAGIC = Buffer.from('GGUF')
