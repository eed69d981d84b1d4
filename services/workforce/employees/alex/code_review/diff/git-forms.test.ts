/** Diffs in the forms in which git itself writes them, with what a review says of them. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { commit, git, lines, makeTree, removeTree, write } from './git-tree.fixture.ts'
import { refused, review } from './review.fixture.ts'

beforeEach(makeTree)
afterEach(removeTree)

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

  it('of words is refused, with what to do', async () => {
    write('tool.py', '    x = 2\n')
    commit()
    write('tool.py', '    x = 3\n')
    for (const options of [['--word-diff'], ['--word-diff=porcelain'], ['--word-diff', '-U0']])
      await refused(git('diff', ...options), /diff of words.*--word-diff/)
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
})
