/** What the engines of rules of the workforce reach. A kind of work is a file in `../workforce`; it is found there. */
import { readdirSync } from 'node:fs'
import type { Figure } from '../figure.ts'
import type { Workbench } from '../workbench.ts'

/** What a file in `../workforce` exports. */
interface Part {
  figures(workbench: Workbench): Promise<Figure[]>
}

const folder = new URL('../workforce/', import.meta.url)

/** Takes a quarter of an hour: each part's figures as soon as they are measured. */
export async function* workforce(workbench: Workbench): AsyncGenerator<Figure> {
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.ts')) continue
    const part: Part = await import(new URL(name, folder).href)
    yield* await part.figures(workbench)
  }
}
