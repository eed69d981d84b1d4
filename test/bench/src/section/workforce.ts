/** What the engines of rules of the workforce reach. A kind of work is a file in `../workforce`; it is found there. */
import { readdirSync } from 'node:fs'
import type { Figure } from '../figure.ts'
import type { Workbench } from '../workbench.ts'

/** What a file in `../workforce` exports. */
interface Part {
  figures(workbench: Workbench): Promise<Figure[]>
}

const folder = new URL('../workforce/', import.meta.url)

export async function workforce(workbench: Workbench): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.ts')) continue
    const part: Part = await import(new URL(name, folder).href)
    figures.push(...(await part.figures(workbench)))
  }
  return figures
}
