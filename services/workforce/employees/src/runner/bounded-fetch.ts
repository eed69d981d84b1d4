/**
 * Goes nowhere else than it was sent, and takes no more than `mostBytes` of an answer: reading on rejects then. `onTaken` is
 * told how many bytes of an answer of success have been taken: 0 as it begins, then the sum.
 */
export const boundedFetch =
  (mostBytes: number, onTaken: (bytes: number) => void = () => {}): typeof fetch =>
  async (input, init) => {
    // What sends elsewhere is an answer like any other: one that was refused by `fetch` itself would be asked again and again.
    const answer = await fetch(input, { ...init, redirect: 'manual' })
    const taken = answer.ok ? onTaken : () => {}
    taken(0)
    if (!answer.body) return answer
    let bytes = 0
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        taken(bytes)
        if (bytes > mostBytes) controller.error(new Error('the answer is too large'))
        else controller.enqueue(chunk)
      },
    })
    const { status, statusText, headers } = answer
    return new Response(answer.body.pipeThrough(count), { status, statusText, headers })
  }
