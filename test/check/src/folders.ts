import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that only one of two folders has, or that are not the same byte for byte; paths inside them. */
export function differences(one: string, other: string): string[] {
  const files = new Set([...filesOf(one), ...filesOf(other)])
  return [...files].sort().filter(file => !contents(one, file)?.equals(contents(other, file) ?? Buffer.of()))
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

function contents(folder: string, file: string): Buffer | undefined {
  try {
    return readFileSync(join(folder, file))
  } catch {
    return undefined
  }
}
