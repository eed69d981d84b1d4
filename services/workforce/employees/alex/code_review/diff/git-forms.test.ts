/** Diffs as git itself writes them, with what a review says of them. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { type Brief, Refusal } from '../../../src/brief.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import type { Input } from '../result.ts'

const top = mkdtempSync(join(tmpdir(), 'git-forms-'))
after(() => rmSync(top, { recursive: true }))

let folder = ''

const env = {
  PATH: process.env.PATH,
  HOME: top,
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap(who => [
      [`GIT_${who}_NAME`, 'Ann'],
      [`GIT_${who}_EMAIL`, 'ann@example.com'],
      [`GIT_${who}_DATE`, '2026-01-01T00:00:00Z'],
    ]),
  ),
}

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString()

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

function commit(message = 'A change'): void {
  git('add', '-A')
  git('commit', '-q', '-m', message)
}

beforeEach(() => {
  folder = mkdtempSync(join(top, 'tree-'))
  git('init', '-q', '-b', 'main')
  write('src/app.py', lines())
  write('tool.py', 'x = 1\n')
  commit('The start')
})

/** Twelve assignments, with changes by the number of the line. */
const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, at) => `${changed[at + 1] ?? `value_${at + 1} = ${at + 1}`}\n`).join('')

const brief = (input: Input): Brief<Input> => ({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })

async function review(diff: string, files: Input['files'] = []) {
  const asked = brief({ diff, files })
  const answer = await rules(asked)
  const { findings, not_read, read, summary } = answer.result
  return {
    found: findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`).toSorted(),
    unread: Object.fromEntries(not_read.map(({ file, reason }) => [file, reason])),
    read: read.map(({ file, lines: count }) => `${file} ${count}`),
    failed: (await checks(asked, answer)).flatMap(({ id, pass }) => (pass ? [] : id)),
    summary,
    text: answer.text ?? '',
  }
}

const refused = (diff: string, message: RegExp) =>
  assert.rejects(
    () => rules(brief({ diff })),
    (error: Refusal) => error instanceof Refusal && error.param === 'input.diff' && message.test(error.message),
  )

describe('a diff by git', () => {
  const change = () => write('src/app.py', lines({ 3: 'eval(value_1)', 9: 'exec(value_2)' }))
  const wanted = ['src/app.py:3 S307', 'src/app.py:9 S102']

  for (const [name, options] of Object.entries({
    'as it is': [],
    'without context': ['-U0'],
    'with the whole file': ['-U99'],
    'with functions as context': ['-W'],
    'without prefixes': ['--no-prefix'],
    'with prefixes of its own': ['--src-prefix=old/', '--dst-prefix=new/'],
    'with statistics in front': ['--stat', '-p'],
    'with a summary, numbers and raw lines in front': ['--summary', '--numstat', '--raw', '-p'],
    'with full hashes': ['--full-index', '--binary'],
    'in colors': ['--color=always'],
    'by patience': ['--patience'],
    'that ignores blanks': ['-w'],
    'with hunks between': ['--inter-hunk-context=9'],
    'with moved lines in colors': ['--color=always', '--color-moved'],
    'with everything as text': ['-a'],
    'with rewrites broken up': ['-B1%'],
  }))
    it(`is read ${name}`, async () => {
      change()
      assert.deepEqual((await review(git('diff', ...options))).found, wanted)
      const { failed, unread } = await review(git('diff', ...options))
      assert.deepEqual([failed, unread], [[], {}])
    })

  it('with mnemonic prefixes, and the other way round', async () => {
    change()
    assert.deepEqual((await review(git('-c', 'diff.mnemonicPrefix=true', 'diff'))).found, wanted)
    commit()
    assert.deepEqual((await review(git('diff', '-R', 'HEAD', 'HEAD~'))).found, wanted)
  })

  it('of a folder a or b without prefixes keeps the folder', async () => {
    for (const path of ['a/x.py', 'b/x.py']) write(path, 'x = 1\n')
    commit()
    for (const path of ['a/x.py', 'b/x.py']) write(path, 'x = 1\neval(x)\n')
    const wantedHere = ['a/x.py:2 S307', 'b/x.py:2 S307']
    assert.deepEqual((await review(git('diff', '--no-prefix'))).found, wantedHere)
    assert.deepEqual((await review(git('diff'))).found, wantedHere)
  })

  for (const [name, args] of Object.entries({
    'git show': ['show'],
    'git show with statistics': ['show', '--stat', '-p'],
    'git format-patch': ['format-patch', '-1', '--stdout'],
    'git format-patch with an attachment': ['format-patch', '-1', '--stdout', '--attach'],
    'git format-patch inline': ['format-patch', '-1', '--stdout', '--inline'],
    'git format-patch with a cover letter and a base': [
      'format-patch',
      '-1',
      '--stdout',
      '--cover-letter',
      '--base=HEAD~',
    ],
    'git log -p': ['log', '-p', '-1'],
    'git log on one line': ['log', '-p', '-1', '--oneline'],
    'git diff-tree': ['diff-tree', '-p', 'HEAD'],
    'git diff-index': ['diff-index', '-p', 'HEAD~'],
  }))
    it(`by ${name} is read up to its end`, async () => {
      change()
      commit('Run values\n\n--- a/none.py\n+++ b/none.py\n- one\n+ two\n\n Indented.')
      const { found, failed } = await review(git(...args))
      assert.deepEqual([found, failed], [wanted, []])
    })

  it('of several commits is read one by one', async () => {
    write('src/app.py', lines({ 3: 'eval(value_1)' }))
    commit('The first')
    write('src/app.py', `new = 0\n${lines({ 3: 'eval(value_1)', 9: 'exec(value_2)' })}`)
    commit('The second')
    const all = ['src/app.py:10 S102', 'src/app.py:3 S307']
    for (const diff of [git('log', '-p', '-2', '--stat'), git('format-patch', '-2', '--stdout')]) {
      const { found, failed } = await review(diff)
      assert.deepEqual([found, failed], [all, []])
    }
    const given = [{ path: 'src/app.py', text: `new = 0\n${lines({ 3: 'eval(value_1)', 9: 'exec(value_2)' })}` }]
    const { found, unread } = await review(git('log', '-p', '-2'), given)
    assert.deepEqual(found, all)
    assert.match(unread['src/app.py'] ?? '', /file given is not what the diff makes of it/)
  })

  it('of a merge is read in all its lines that one side lacks', async () => {
    write('tool.py', 'x = 2\n')
    commit()
    git('checkout', '-q', '-b', 'side', 'HEAD~')
    write('tool.py', 'x = 3\n')
    commit()
    git('checkout', '-q', 'main')
    assert.throws(() => git('merge', 'side'))
    write('tool.py', 'x = 4\neval(x)\n')
    commit('A merge')
    for (const diff of [git('show'), git('diff-tree', '-p', '-c', 'HEAD'), git('show', '--cc', '-U0')]) {
      assert.match(diff, /^@@@ /m)
      const { found, read } = await review(diff)
      assert.deepEqual([found, read], [['tool.py:2 S307'], ['tool.py 2']])
    }
    assert.deepEqual((await review(git('show', '-m', '--first-parent'))).found, ['tool.py:2 S307'])
  })

  it('of renamed and copied files has their new names', async () => {
    renameSync(join(folder, 'src/app.py'), join(folder, 'moved here.py'))
    copyFileSync(join(folder, 'tool.py'), join(folder, 'copy.py'))
    write('tool.py', 'x = 5\n')
    git('add', '-A')
    const whole = await review(git('diff', '--cached', '-M', '-C'))
    assert.deepEqual(whole.unread, {
      'moved here.py': 'It is renamed, with no line changed.',
      'copy.py': 'It is copied, with no line changed.',
    })
    assert.deepEqual([whole.read, whole.failed], [['tool.py 1'], []])
    write('moved here.py', lines({ 3: 'eval(value_1)' }))
    for (const options of [[], ['--no-prefix'], ['-U0']])
      assert.deepEqual((await review(git('diff', 'HEAD', '-M', ...options))).found, ['moved here.py:3 S307'])
  })

  it('that has no line to read says so, file by file, and its check fails', async () => {
    chmodSync(join(folder, 'tool.py'), 0o755)
    rmSync(join(folder, 'src/app.py'))
    write('empty.py', '')
    write('picture.png', Buffer.from('\u0089PNG\u0000\u0001', 'latin1'))
    symlinkSync('tool.py', join(folder, 'link.py'))
    git('add', '-A')
    for (const options of [[], ['--binary']]) {
      const { unread, failed, summary, text } = await review(git('diff', '--cached', ...options))
      assert.deepEqual(unread, {
        'empty.py': 'It is empty.',
        'link.py': 'It is a symbolic link.',
        'picture.png': 'It is binary.',
        'src/app.py': 'It is deleted.',
        'tool.py': 'Its mode alone is changed.',
      })
      assert.deepEqual([failed, summary.files, summary.errors], [['every_file_read'], 0, null])
      assert.match(text, /^Nothing was read\./)
    }
  })

  it('with a mode, a binary and lines has the lines read', async () => {
    chmodSync(join(folder, 'tool.py'), 0o755)
    write('tool.py', 'x = 1\neval(x)\n')
    write('b.bin', Buffer.from([0, 1, 2, 10, 45, 45, 32, 97]))
    git('add', '-A')
    const { found, unread, failed } = await review(git('diff', '--cached', '--binary'))
    assert.deepEqual([found, unread, failed], [['tool.py:2 S307'], { 'b.bin': 'It is binary.' }, []])
  })

  it('of a submodule is no code', async () => {
    const tree = folder
    folder = mkdtempSync(join(top, 'other-'))
    git('init', '-q')
    write('a.py', 'a = 1\n')
    commit()
    const other = folder
    folder = tree
    git('submodule', 'add', '-q', other, 'lib.py')
    for (const options of [[], ['--submodule=log']]) {
      const { unread } = await review(git('diff', '--cached', ...options))
      assert.match(unread['lib.py'] ?? '', /submodule/)
    }
  })

  it('with names that are quoted, spaced and odd', async () => {
    const names = ['grün/ä b.py', 'tab\\back.py', 'with "quotes".py', 'x b/x.py', 'two  blanks.py']
    for (const name of names) write(name, 'x = 1\n')
    commit()
    for (const name of names) write(name, 'x = 1\neval(x)\n')
    for (const options of [[], ['--no-prefix'], ['-U0']]) {
      const { findings } = (await rules(brief({ diff: git('diff', ...options) }))).result
      assert.deepEqual(findings.map(({ file }) => file).toSorted(), names.toSorted())
    }
    for (const name of names) chmodSync(join(folder, name), 0o755)
    git('checkout', '-q', '--', '.')
    for (const name of names) chmodSync(join(folder, name), 0o755)
    const { unread } = await review(git('diff'))
    assert.deepEqual(Object.keys(unread).toSorted(), names.toSorted())
  })

  it('with ends of lines of any kind and with none at the end', async () => {
    write('dos.py', 'x = 1\r\ny = 2\r\n')
    write('none.py', 'x = 1')
    commit()
    write('dos.py', 'x = 1\r\neval(x)\r\n')
    write('none.py', 'x = 1\neval(x)')
    const diff = git('diff')
    assert.match(diff, /No newline at end of file/)
    assert.deepEqual((await review(diff)).found, ['dos.py:2 S307', 'none.py:2 S307'])
    assert.deepEqual((await review(diff.replaceAll(/\r?\n/g, '\r\n'))).found, ['dos.py:2 S307', 'none.py:2 S307'])
  })

  it('with lines that look like headers', async () => {
    write('query.py', 'x = """\n-- a\n++ b.\n"""\n')
    commit()
    write('query.py', 'x = """\n++ b c.\n@@ -1 +1 @@\n"""\neval(x)\n')
    assert.deepEqual((await review(git('diff', '-U0'))).found, ['query.py:5 S307'])
  })

  it('of new files and of files that become links', async () => {
    write('new.py', 'eval(input())\n')
    rmSync(join(folder, 'tool.py'))
    symlinkSync('new.py', join(folder, 'tool.py'))
    git('add', '-A')
    for (const options of [[], ['--no-prefix'], ['-U0']]) {
      const { found, unread } = await review(git('diff', '--cached', ...options))
      assert.deepEqual([found, unread['tool.py']], [['new.py:1 S307'], 'It is a symbolic link.'])
    }
  })

  it('of words is refused, with what to do', async () => {
    write('tool.py', '    x = 2\n')
    commit()
    write('tool.py', '    x = 3\n')
    for (const options of [['--word-diff'], ['--word-diff=porcelain'], ['--word-diff', '-U0']])
      await refused(git('diff', ...options), /diff of words.*--word-diff/)
  })

  it('names the files whose lines it leaves out', async () => {
    const read = 'diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1 +1,2 @@\n x = 1\n+eval(x)\n'
    const { found, unread } = await review(`* Unmerged path a.py\n${read}Only in b/lib: new.py\n`)
    assert.deepEqual(found, ['b.py:2 S307'])
    assert.deepEqual(Object.keys(unread), ['a.py', 'b/lib/new.py'])
    assert.match(Object.values(unread).join('\n'), /not merged yet[\s\S]*one side/)
    const mail = `From ${'a'.repeat(40)} Mon Sep 17 00:00:00 2001\nSubject: x\n\nOnly in b: new.py\n\n---\n${read}`
    assert.deepEqual((await review(mail)).unread, {})
  })

  it('takes no sentence for a file that one side lacks', async () => {
    const read = 'diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1 +1,2 @@\n x = 1\n+eval(x)\n'
    assert.deepEqual((await review(`Only in rare cases: this fails.\n${read}`)).unread, {})
  })

  it('against one side of a merge reads the unmerged file by its hunks', async () => {
    git('checkout', '-q', '-b', 'side')
    write('src/app.py', lines({ 3: 'eval(value_1)' }))
    commit()
    git('checkout', '-q', 'main')
    write('src/app.py', lines({ 3: 'exec(value_1)' }))
    commit()
    assert.throws(() => git('merge', 'side'))
    write('src/app.py', lines({ 3: 'exec(value_2)' }))
    for (const side of ['--base', '--ours', '--theirs']) {
      const diff = git('diff', side)
      assert.match(diff, /^\* Unmerged path src\/app\.py\n/)
      const { read, unread } = await review(diff)
      assert.match(read.join(), /^src\/app\.py \d$/)
      assert.deepEqual(unread, {}, side)
    }
    assert.deepEqual(Object.keys((await review(`${git('diff', '--ours')}* Unmerged path b.py\n`)).unread), ['b.py'])
  })

  it('without a hunk is refused', async () => {
    change()
    for (const options of [['--stat'], ['--name-only'], ['--raw']]) await refused(git('diff', ...options), /no hunks/)
  })

  it('that is cut off is read as far as it goes, and said to be', async () => {
    change()
    const diff = git('diff')
    const { found, unread, failed } = await review(diff.slice(0, diff.indexOf('+exec')))
    assert.deepEqual([found, failed], [['src/app.py:3 S307'], ['every_file_read']])
    assert.match(unread['src/app.py'] ?? '', /cut off: \d lines/)
  })

  it('with more lines than it counts is refused', () =>
    refused('--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n x = 1\n+eval(x)\n+y = 2\n', /line 3 has more lines/))

  it('with something after its count is refused', async () => {
    const head = '--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n x = 1\n+y = 2\n'
    for (const rest of [
      '--x\n+eval(input())\n',
      '\n+eval(input())\n',
      '--- x\n+eval(input())\n',
      '--a-long-option-name\n',
    ])
      await refused(`${head}${rest}`, /line 3 has more lines/)
    for (const rest of [
      '-- \n2.39.0\n\n',
      '--\n2.39.0\n',
      '--------------2.39.0--\n',
      '\n\n--- a/b.py\n+++ b/b.py\n@@ -0,0 +1 @@\n+z = 1\n',
    ])
      assert.equal((await review(`${head}${rest}`)).read[0], 'a.py 1')
    const mail = 'Content-Type: multipart/mixed; boundary="000ab"\n\n'
    assert.deepEqual((await review(`${mail}${head}\n--000ab\nContent-Type: text/plain\n`)).read, ['a.py 1'])
  })
})

describe('a diff with lines between', () => {
  const names = '--- a/a.py\n+++ b/a.py\n'
  const [first, second] = ['@@ -1 +1,2 @@\n x = 1\n+eval(x)\n', '@@ -7 +8,2 @@\n y = 1\n+exec(y)\n']
  const wanted = ['a.py:2 S307', 'a.py:9 S102']

  for (const between of ['\n', 'note\n', '\n# Why it is so\n\n'])
    for (const git of ['', 'diff --git a/a.py b/a.py\nindex 1111111..2222222 100644\n'])
      it(`its hunks, ${JSON.stringify(between)}, ${git === '' ? 'plain' : 'by git'}`, async () => {
        for (const diff of [
          `${git}${names}${first}${between}${second}`,
          `${git}${names}${between}${first}${second}`,
          `${git}unknown header\n${names}${first}${second}`,
        ]) {
          const { found, unread, failed } = await review(diff)
          assert.deepEqual([found, unread, failed], [wanted, {}, []])
        }
      })

  it('says that lines which no hunk has were not read, and its check fails', async () => {
    for (const [diff, line] of [
      [`${names}${first}note\n+exec(y)\n`, 7],
      [`diff --git a/a.py b/a.py\n${names}${first}note\n y = 1\n+exec(y)\n`, 9],
      [`${names}${first}note\n+exec(y)\n${second}`, 7],
    ] as const) {
      const { found, unread, failed } = await review(diff)
      assert.equal(found[0], 'a.py:2 S307')
      assert.match(unread['a.py'] ?? '', new RegExp(`^Line ${line} of the diff begins with \\+ outside of any hunk`))
      assert.deepEqual(failed, ['every_file_read'])
    }
    const mail = `From ${'1'.repeat(40)} Mon Sep 17 00:00:00 2001\nSubject: a\n\n+ one\n---\n`
    const { unread } = await review(`${names}${first}-- \n2.39.0\n\n${mail}${names}${first}`)
    assert.deepEqual(unread, {}, 'a list in the message of the next commit is none')
  })

  it('gives each file its own hunks', async () => {
    const other = names.replaceAll('a.py', 'b.py')
    const { found } = await review(`${names}${first}\n${other}\n${first}\n${second}`)
    assert.deepEqual(found, ['a.py:2 S307', 'b.py:2 S307', 'b.py:9 S102'])
  })

  it('with a header that has no counts is refused', async () => {
    await refused(`${names}@@ ... @@\n x = 1\n+eval(x)\n`, /line 3 begins a hunk and has no counts/)
    await refused(`${names}${first}@@ ... @@\n+exec(y)\n`, /line 6 begins a hunk and has no counts/)
  })

  it('without names is refused, and so is a hunk after what has no text', async () => {
    await refused(first, /no `--- ` and `\+\+\+ ` name the file of the hunk in its line 1\./)
    await refused(`diff --git a/a.py b/b.py\n${first}`, /file of the hunk in its line 2/)
    await refused(`Binary files a/x and b/x differ\n\n${first}`, /file of the hunk in its line 3/)
  })

  it('in a message of a mail are no hunks', async () => {
    const mail = `From ${'1'.repeat(40)} Mon Sep 17 00:00:00 2001\nSubject: a\n\n@@ ... @@\n${second}---\n`
    assert.deepEqual((await review(`${mail}${names}${first}-- \n2.39.0\n\n${mail}${names}${first}`)).found, [
      'a.py:2 S307',
      'a.py:2 S307',
    ])
  })

  it('that names a file and has no hunk of it says so, and its check fails', async () => {
    const header = 'diff --git a/b.py b/b.py\n'
    for (const rest of [
      'index 1111111..2222222 100644\n',
      `index 1111111..2222222\n${names.replaceAll('a.py', 'b.py')}`,
    ]) {
      const { unread, failed } = await review(`${names}${first}${header}${rest}`)
      assert.deepEqual(unread, { 'b.py': 'The diff names it and has no hunk that can be read.' })
      assert.deepEqual(failed, ['every_file_read'])
    }
  })

  it('of words in long lines is refused', () =>
    refused(`${names}@@ -1 +1 @@\nx = [-${'a'.repeat(3000)}-]{+${'b'.repeat(3000)}+}\n`, /diff of words/))
})
