/** Rules that a piece of a file can break only for what stands outside of it. */
import type { Found } from '../finding.ts'

/** Whether the rest of the file could answer a finding in a piece, whose last line is `end`. */
export const needsTheRest = ({ rule, endLine }: Found, end: number): boolean =>
  ofTheFile.has(rule) || (ofTheEnd.has(rule) && endLine > end)

/** What only the rest of the file, the class or the function tells. */
const ofTheFile = new Set([
  'syntax-error',
  // Names.
  'no-undef',
  'no-unused-vars',
  'no-redeclare',
  'no-unused-private-class-members',
  'no-useless-assignment',
  '@typescript-eslint/no-unused-vars',
  'F401',
  'F811',
  'F821',
  'F822',
  'F823',
  'F841',
  'PLW0602',
  // What a function does on its other lines.
  'array-callback-return',
  'constructor-super',
  'getter-return',
  'no-this-before-super',
  'no-fallthrough',
  'no-unmodified-loop-condition',
  'no-unreachable',
  'no-unreachable-loop',
  'loop-past-the-end',
  'used-though-null',
  'require-yield',
  // Statements that may be in the middle of something.
  'no-unused-expressions',
  '@typescript-eslint/no-unused-expressions',
  'B015',
  'B018',
  'F541',
  'F702',
  'F706',
  'PLE1142',
])

/** What is told of a block only where the piece has its end. */
const ofTheEnd = new Set(['no-empty', 'no-useless-catch', 'error-swallowed', 'S110', 'S112'])
