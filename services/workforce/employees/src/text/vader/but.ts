/** What stands before a “but” counts half, what stands after it half as much again. */

/**
 * Changes the valences in place. As in the reference, each of them in turn changes the first one that is equal to it, which may
 * be another; the first is kept at hand, where the reference searches, so that a long text takes no longer than it must.
 */
export function weighBut(valences: number[], but: number): void {
  if (but < 0) return
  const first = new Map<number, number[]>()
  valences.forEach((valence, at) => {
    if (valence !== 0) push(heapOf(first, valence), at)
  })
  for (let turn = 0; turn < valences.length; turn++) {
    const valence = valences[turn] as number
    if (valence === 0) continue
    const heap = heapOf(first, valence)
    const at = heap[0] as number
    if (at === but) continue
    pop(heap)
    const weighed = valence * (at < but ? 0.5 : 1.5)
    valences[at] = weighed
    push(heapOf(first, weighed), at)
  }
}

function heapOf(heaps: Map<number, number[]>, valence: number): number[] {
  const heap = heaps.get(valence) ?? []
  if (heap.length === 0) heaps.set(valence, heap)
  return heap
}

/** A binary heap, the least first. */
function push(heap: number[], value: number): void {
  let at = heap.push(value) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if ((heap[parent] as number) <= value) break
    heap[at] = heap[parent] as number
    at = parent
  }
  heap[at] = value
}

function pop(heap: number[]): void {
  const last = heap.pop() as number
  if (heap.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++
    if (child >= heap.length || (heap[child] as number) >= last) break
    heap[at] = heap[child] as number
    at = child
  }
  heap[at] = last
}
