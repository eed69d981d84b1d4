/** Rejects with the signal's reason as soon as it fires. */
export function unlessAborted<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}
