import type { Answer } from '../answer.ts'

type Artifact = NonNullable<Answer['artifacts']>[number]

/** As much as a page of documentation should bring along for one picture, in bytes. */
const LARGEST = 100_000
const MOST = 4

/** The first few of the pictures that were made, small enough for a page: drawings, or where there is none photographs of them. */
export function picturesOf(artifacts: readonly Artifact[]): readonly Artifact[] {
  const small = artifacts.filter(({ bytes }) => bytes.length <= LARGEST)
  const drawings = small.filter(({ media_type }) => media_type === 'image/svg+xml')
  const pictures = drawings.length > 0 ? drawings : small.filter(({ media_type }) => media_type === 'image/png')
  return pictures.slice(0, MOST)
}
