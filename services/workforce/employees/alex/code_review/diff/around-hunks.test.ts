/** What stands around the hunks of a diff, and in their place. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refused, review } from './review.fixture.ts'

describe('a diff', () => {
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
