import { fail } from '@millhand/api'

/** The failure of a body that is no form. */
export const broken = (why: string) =>
  fail('invalid_parameter', `The body is not the form that \`Content-Type\` says: ${why}.`)
