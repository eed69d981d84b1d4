/** A ticket that names a command, an option, a function or a setting is not answered with another one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from './engine.ts'

const install = `# npm install

## Description

The command \`npm install\` installs a package and the packages that it depends on into the folder node_modules. In a continuous integration environment \`npm install\` installs the dependencies as well.
`
const ci = `# npm ci

## Description

This command installs the dependencies of a project in a clean way, in automated environments such as continuous integration. \`npm ci\` deletes the folder node_modules first, and never writes to package.json.
`

async function answerTo(ticket: string, ...texts: readonly string[]) {
  const knowledge = texts.map((text, at) => ({ title: /^# (.*)/.exec(text)?.[1] ?? `Article ${at}`, text }))
  const { result } = await rules({
    topic: '',
    tone: '',
    constraints: {},
    files: [],
    seed: 1,
    input: { ticket, knowledge },
  })
  return result
}

describe('a ticket that names', () => {
  it('a command is not answered with another command of the tool', async () => {
    for (const ticket of [
      'Which dependencies does npm ci install in continuous integration?',
      'Which dependencies does `npm ci` install in a continuous integration environment?',
    ]) {
      const { status, reason } = await answerTo(ticket, install)
      assert.equal(status, 'escalated')
      assert.equal(reason?.code, 'not_covered')
      assert.equal(reason?.message, 'The ticket names “npm ci”; what comes nearest tells of “npm install”.')
    }
    const { status } = await answerTo('Which dependencies does npm install install in continuous integration?', install)
    assert.equal(status, 'answered')
  })

  it('a command is answered with the passage that names it, though another one has more of its words', async () => {
    const { status, answer, passages } = await answerTo(
      'Does npm ci delete the folder node_modules first?',
      `${install}\nIt does not delete the folder node_modules first.\n`,
      ci,
    )
    assert.equal(status, 'answered', JSON.stringify(passages))
    assert.match(answer ?? '', /`npm ci` deletes the folder/)
  })

  it('a command is answered where the passage says that both are the same', async () => {
    const same = install.replace('installs a package', 'and its other name `npm ci` install a package')
    const { status } = await answerTo('Which dependencies does npm ci install in continuous integration?', same)
    assert.equal(status, 'answered')
  })

  it('a command is not answered from an article that has another one as its title, and in no code', async () => {
    const titled =
      '# npm install\n\n## Configuration\n\nThe option production leaves out the development dependencies. To make a clean install, delete the folder node_modules first.\n'
    for (const ticket of [
      'Does npm ci delete the folder node_modules?',
      'How does npm ci leave out development dependencies?',
    ]) {
      const { status, reason } = await answerTo(ticket, titled)
      assert.equal(status, 'escalated', ticket)
      assert.equal(reason?.message, 'The ticket names “npm ci”; what comes nearest tells of “npm install”.')
    }
    const { status } = await answerTo('How does npm install leave out development dependencies?', titled)
    assert.equal(status, 'answered')
  })

  it('a command is answered from an article whose title is the tool and a word for a text', async () => {
    for (const title of ['git guide', 'git basics', 'git commands']) {
      const { status } = await answerTo(
        'Does git pull overwrite local changes of files?',
        `# ${title}\n\n## Updating\n\nLocal changes of files are never overwritten: an update stops and tells which files have local changes.\n`,
      )
      assert.equal(status, 'answered', title)
    }
  })

  const settings = (name: string) =>
    `# Backups\n\n## How many backups are kept\n\nOld backups are deleted every night. How many backups are kept is set by ${name}, seven unless you say otherwise.\n`
  for (const [asked, told] of [
    ['--keep-monthly', '`--keep-daily`'],
    ['BACKUP_KEEP_HOURS', '`BACKUP_KEEP_DAYS`'],
    ['backup_count', '`backup_days`'],
    ['pruneAll()', '`pruneOld()`'],
    ['backup-old.yaml', '`backup.yaml`'],
  ] as const)
    it(`${asked} is not answered with ${told}`, async () => {
      const ticket = `How many old backups are kept every night, and are they deleted by ${asked}?`
      const { status, reason } = await answerTo(ticket, settings(told))
      assert.equal(status, 'escalated')
      assert.ok(reason?.message.includes(`“${asked.replace('()', '')}”`), reason?.message)
      assert.equal((await answerTo(ticket, settings(`\`${asked}\``))).status, 'answered')
      assert.equal((await answerTo(ticket, settings('the retention'))).status, 'answered')
    })

  it('the name of a tool before a common word names no command', async () => {
    const { status } = await answerTo(
      'Which dependencies do npm packages install in continuous integration?',
      install.replace('installs a package', 'installs packages'),
    )
    assert.equal(status, 'answered')
  })

  it('names in a log that a long ticket quotes, and asks nothing about, is answered', async () => {
    const log = 'npm audit found nothing with --omit at backup_hours. '.repeat(8)
    const { status } = await answerTo(`How many backups are kept?\n${log}`, settings('`--keep-daily`'))
    assert.equal(status, 'answered')
  })
})
