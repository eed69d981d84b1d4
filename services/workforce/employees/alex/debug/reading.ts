import type { Result } from './result.ts'

/** What went wrong, as plain text. */
export function readingOf({ error, became, failing_frame, causes, change }: Result): string {
  const what = [error.type, error.message].filter(part => part !== '').join(': ')
  const where = failing_frame
    ? `It failed in ${failing_frame.file}${failing_frame.line === null ? '' : `, line ${failing_frame.line}`}${failing_frame.function === null ? '' : `, in ${failing_frame.function}`}.`
    : 'No frame of the trace is of the project itself.'
  return [
    what === '' ? 'It failed without a word.' : what,
    where,
    ...became.map(({ type, message }) => `It then became ${type}${message === '' ? '' : `: ${message}`}`),
    ...causes.map(
      ({ cause, advice, from, rule }) => `${from === 'linter' ? `Seen by ${rule}: ` : ''}${cause}\n  ${advice}`,
    ),
    ...(change ? [`A change of ${change.file} is given: ${change.proof.rule} no longer reports it.`] : []),
  ].join('\n')
}
