import type { Employee, KindSpec } from '../catalogue.ts'
import type { Measured } from '../run-rules.ts'
import { fieldTable } from './field-table.ts'
import { kindTable, ORIGIN } from './index-page.ts'
import { cell, code, framed } from './markdown.ts'
import { cut, layOut } from './shown-json.ts'

/** A kind of work, and what came of its example. */
interface Work {
  readonly kind: KindSpec
  readonly done: Measured
  /** From the page. */
  readonly pictures: readonly string[]
}

/** The page of an employee, in Markdown: what they can be asked for, and what then comes. */
export function employeePage({ id, name, role, description }: Employee, works: readonly Work[]): string {
  return `${[
    ORIGIN,
    `# ${name}, ${role.toLowerCase()}`,
    `${description} How to ask, and what holds for every kind: [the workforce](../workforce.md).`,
    kindTable(
      works.map(({ kind }) => kind),
      kind => `#${kind}`,
    ),
    'The results on this page, but those of a language model, are what the requests above them gave. Send one, and the same comes back.',
    fence('sh', `export MILLHAND_KEY=$(node -p "require('./.millhand/bootstrap-keys.json').live")`),
    ...works.flatMap(work => kindSection(id, work)),
  ].join('\n\n')}\n`
}

function kindSection(employee: string, { kind, done, pictures }: Work): string[] {
  return [
    `<a id="${kind.id}"></a>`,
    `## ${kind.title}`,
    kind.description,
    by(kind),
    ...needed(kind),
    fence('sh', request(employee, kind)),
    ...(kind.engines.includes('rules') ? [`answers with ${CUT}`] : [...refused, `${WRITTEN} ${CUT}`]),
    ...answered(done, pictures),
    ...folded('Everything that `input` takes', fieldTable(kind.input_schema, 'sent')),
    ...folded('What has an effect beside `input`', besideTable(kind)),
    ...folded('Everything in `output.result`', fieldTable(kind.output_schema, 'given')),
  ]
}

const needed = ({ needs }: KindSpec): string[] =>
  needs === undefined ? [] : [`A request needs at least one of ${needs.map(code).join(', ')}.`]

/** Every field beside `input` that it heeds, as a table. */
function besideTable(kind: KindSpec): string {
  const rows = kind.fields.map(({ name, title, description, by: engines, media_types: types }) => {
    const media = types === undefined ? '' : ` ${types.map(code).join(', ')}.`
    const alone = kind.engines.length > engines.length ? ' Only with `"engine": "llm"`.' : ''
    return `| ${code(name)} | **${title}.** ${cell(description)}${media}${alone} |`
  })
  return ['| field | |', '|---|---|', ...rows].join('\n')
}

function by(kind: KindSpec): string {
  const depicted = Object.entries(kind.image_model ?? {}).map(
    ([input, values]) =>
      ` Where \`${input}\` is ${values.map(value => `\`${JSON.stringify(value)}\``).join(' or ')}, an image model makes the picture: \`MILLHAND_IMAGE_URL\` names the server of one ([settings](../operating.md)).`,
  )
  return wordsBy(kind) + depicted.join('')
}

function wordsBy({ engines }: KindSpec): string {
  if (!engines.includes('llm')) return 'Done by rules: no language model is needed, and none is asked.'
  const setting =
    'a language model: `MILLHAND_LLM_URL` names the server of one, `MILLHAND_LLM_GGUF` the file of one to run here ([settings](../operating.md))'
  if (!engines.includes('rules')) return `Needs ${setting}.`
  return `Done by rules, as here; with \`"engine": "llm"\` the words are those of ${setting}, and what rules do stays.`
}

const request = (employee: string, { id, example }: KindSpec): string =>
  [
    `curl -s http://127.0.0.1:8080/v1/workforce/${employee}/tasks \\`,
    '  -H "Authorization: Bearer $MILLHAND_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    "  -H 'Prefer: wait=60' \\",
    "  -d @- <<'JSON'",
    layOut({ task: id, ...example }),
    'JSON',
  ].join('\n')

const CUT =
  'the task. Of it, the result, with lists cut to their first two, long texts to their beginning and numbers to six digits:'

const WRITTEN =
  'What a language model says nobody can tell beforehand. With the words below, which somebody wrote to show their form, comes'

/** What comes where there is no language model. */
const refused = [
  'Without a language model it answers:',
  fence('json', layOut({ status: 501, code: 'engine_unavailable', param: 'engine' })),
]

function answered({ answer, checks }: Measured, pictures: readonly string[]): string[] {
  const { result, text, artifacts = [], citations = [], warnings = [] } = answer
  const output = {
    result: cut(result),
    ...(citations.length > 0 && { citations: cut(citations) }),
    ...(warnings.length > 0 && { warnings: cut(warnings) }),
  }
  return [
    fence('json', layOut({ status: 'succeeded', output })),
    '`output.text`, the same to read out:',
    framed(firstLines(text)),
    ...(artifacts.length > 0
      ? [`\`output.artifacts\`, files to get: ${artifacts.map(({ name }) => code(name)).join(', ')}.`]
      : []),
    ...(pictures.length > 0 ? [pictures.map(path => `![${path.split('/').at(-1)}](${path})`).join('\n\n')] : []),
    '`output.checks`, measured on it:',
    [
      '| check | measured | wanted | |',
      '|---|---|---|---|',
      ...checks.map(
        ({ id, value, target, pass }) =>
          `| ${code(id)} | ${cell(String(cut(value)))} | ${cell(String(cut(target)))} | ${pass ? 'passed' : 'failed'} |`,
      ),
    ].join('\n'),
  ]
}

const MOST_LINES = 30

function firstLines(text: string): string {
  const lines = text.trim().split('\n')
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'].join('\n') : lines.join('\n')
}

function fence(language: string, text: string): string {
  return [`\`\`\`${language}`, text, '```'].join('\n')
}

/** To be unfolded by who wants to see it. */
const folded = (title: string, text: string): string[] =>
  text === ''
    ? []
    : [`<details>\n<summary>${title.replaceAll(/`([^`]*)`/g, '<code>$1</code>')}</summary>`, text, '</details>']
