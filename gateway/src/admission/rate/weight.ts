/** How many requests a request counts as, by the bytes of the body that is parsed for it. docs/decisions/admission.md. */

/** One for each of these that a body begins. */
const UNIT_BYTES = 65_536

/** Of a body that is there. */
export const weightOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT_BYTES))

/** What the head of a request says of its weight: 1 where it does not say how long the body is, or that it is too long. */
export function announcedWeight(contentLength: string | undefined, mostBytes: number): number {
  const bytes = Number(contentLength ?? 0)
  return bytes <= mostBytes ? weightOf(bytes) : 1
}
