/** What may happen to a file, as git writes it: renames, modes, binaries, links, modules, names and ends of lines. */
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { rules } from '../engine.ts'
import { commit, enter, folder, git, lines, makeTree, removeTree, top, write } from './git-tree.fixture.ts'
import { brief, review } from './review.fixture.ts'

beforeEach(makeTree)
afterEach(removeTree)

describe('a diff by git', () => {
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
    enter(mkdtempSync(join(top, 'other-')))
    git('init', '-q')
    write('a.py', 'a = 1\n')
    commit()
    const other = folder
    enter(tree)
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
})
