/** What looks like a fault and is none, beside what looks the same and is one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from './code_review/engine.ts'
import { syntaxError } from './finding.ts'
import { withoutKnownSafe } from './known-safe.ts'

async function found(path: string, text: string) {
  const input = { files: [{ path, text }], ignore_rules: ['F821', 'no-undef', 'no-var'] }
  const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input })
  return result.findings
}

const rulesOf = (findings: Awaited<ReturnType<typeof found>>) => findings.map(({ rule }) => rule)
const told = async (path: string, text: string) =>
  rulesOf((await found(path, text)).filter(({ severity }) => severity !== 'info'))

function cases(name: string, path: string, codes: readonly string[], ...wanted: string[]): void {
  describe(name, () => {
    for (const code of codes)
      it(JSON.stringify(code), async () => assert.deepEqual(await told(path, `${code}\n`), wanted))
  })
}

/** With no finding at all, no note either. */
function sentences(name: string, path: string, codes: readonly string[]): void {
  describe(name, () => {
    for (const code of codes)
      it(JSON.stringify(code), async () => assert.deepEqual(rulesOf(await found(path, `${code}\n`)), []))
  })
}

cases('names that only sound like secrets', 'a.py', [
  'token_type = "bearer"',
  'secret_name = "db/prod"',
  'def f(token="13a"):\n    return token',
  'TOKEN_URL = "/oauth2/token"',
  'password_field = "user_password1"',
  'token = r"[-!#$%&]+"',
  'if password == "-":\n    pass',
  'f(token_type="bearer1234")',
  'secret = "your-secret-12345"',
  'api_token = "example-token-1"',
  'password = "<password>"',
  'password = "{password}"',
  'secret = "projects/12/secrets/a1"',
])
cases('secrets', 'a.py', ['password = "hunter2xx"', 'secret = "k3y8fz72ma"', 'db_password = "letmein"'], 'S105')
cases(
  'secrets that look like words, placeholders or paths',
  'a.py',
  [
    'password = "changeme"',
    'password = "password"',
    'password = "your-password1"',
    'password = "correct horse battery"',
    'DB_PASSWORD = "yourcompany2024"',
    'SECRET_KEY = "correcthorsebatterystaple"',
    'api_token = "hunter2-prod-abc/def9"',
  ],
  'S105',
)
cases(
  'secrets in JavaScript with a placeholder within a word',
  'a.js',
  ["f({ password: 'yourcompany2024' })"],
  'secret-in-code',
)
cases('arguments that are secrets', 'a.py', ['connect(password="hunter2xx")'], 'S106')

sentences('sentences with words of SQL', 'a.py', [
  'logging.info(f"Select {a} or with {b} from menu")',
  'print(f"Could not delete from {a}")',
  'raise ValueError(f"Please select a value from the list of variants: {a}.")',
  'x = f"Update the {a} and set it again"',
  'message = "select one of %s from the list" % a',
  'log.debug(f"SELECT * FROM t WHERE a = {b}")',
  'db.log.info(f"SELECT * FROM t WHERE a = {b}")',
  'x = "Insert into the slot: " + a',
  'raise KeyError("delete from %s failed" % a)',
  'import logging\n\n\ndef f(a, b):\n    logging.info(f"Select {a} or with {b} from menu")\n    print(f"Could not delete from {a}")\n    raise ValueError(f"Please select a value from the list of variants: {a}.")',
])
cases(
  'statements for a database',
  'a.py',
  [
    'x = f"SELECT * FROM t WHERE a = {b}"',
    'db.execute(f"select a from t where a = {b}")',
    'query = "select a from t order by " + b',
    'x = "select * from t where a = \'%s\'" % b',
    'x = f"""\n    SELECT a FROM t WHERE b = \'{b}\'\n"""',
    'x = "DELETE FROM " + b',
    'db.log.query(f"SELECT a FROM t WHERE b = {name}")',
  ],
  'S608',
)
cases(
  'statements in small letters that go to a database in JavaScript',
  'a.js',
  [
    `f(db.query({ text: \`select a from t where b = \${id}\` }))`,
    `f(db.query(x ? \`select a from t where b = \${id}\` : 'y'))`,
    `f(db.query(x || \`select a from t where b = \${id}\`))`,
    `f(client.send(\`select a from t where b = \${id}\`))`,
  ],
  'sql-from-values',
)
sentences('sentences in JavaScript', 'a.js', [
  `f(res.send(\`select one from \${menu}\`))`,
  `f({ label: \`select one from \${menu}\` })`,
  `f(show(x ? \`delete from \${menu}\` : 'y'))`,
])

const grown = 'sql = "SELECT * FROM t WHERE 1 "\n'
cases(
  'statements that grow',
  'a.py',
  [
    `${grown}sql += f"AND name = '{a}'"`,
    `${grown}sql += " AND b = '" + b + "'"`,
    `${grown}sql += " AND c = '%s'" % b`,
    `${grown}sql += " AND c = '{}'".format(b)`,
    'query += f" WHERE a = {b}"',
    'f(q := "SELECT a FROM t WHERE 1 ")\nq += f"AND b = \'{name}\'"',
    `${grown}sql += f" AND c = '{name}'"`,
    `${grown}sql += f" AND c = {user_id}"`,
    `${grown}sql += " AND c = '{}'".format(name)`,
    `${grown}sql += " AND c = '%s'" % user_id`,
    `${grown}sql += " AND c = '" + escaped + "'"`,
  ],
  'sql-appended',
)
cases('statements that grow by what is no text from outside', 'a.py', [
  `${grown}sql += " LIMIT 5"`,
  `${grown}sql += f" LIMIT {int(b)}"`,
  `${grown}sql += " LIMIT " + str(int(b))`,
  `${grown}sql += " AND day = '" + day.isoformat() + "'"`,
  `${grown}sql += " AND a IN (" + ",".join("?" for _ in b) + ")"`,
  `${grown}sql += " AND c = ?"`,
  `${grown}sql += f" AND c = {LIMIT}"`,
  `${grown}sql += f" AND c = {limit:d}"`,
  `${grown}sql += " FROM " + tables.USERS`,
  `${grown}sql += " AND c = " + db.escape(name)`,
  `${grown}sql += " AND c = {}".format(quote(name))`,
  'text = "Chosen: "\ntext += f" and {b}"',
])
const quoted = (end: string, value: string) => `q = "SELECT a FROM t WHERE b = '"${end}\nq += ${value}${end}`
cases(
  'statements that grow by a value that comes first',
  'a.py',
  [`${quoted('', `name + "'"`)}\nf(q)`, `${quoted('', 'name')}\nq += "'"\nf(q)`],
  'sql-appended',
)
cases(
  'statements of Java that grow by a value alone',
  'A.java',
  [`class A { void f(String name) {\nString ${quoted(';', 'name')}\nq += "'";\n} }`],
  'sql-appended',
)
cases('statements that grow by a clause, or by what is quoted', 'a.py', [
  'q = "SELECT a FROM t WHERE b = \'x\'"\nq += clause\nf(q)',
  'q = "SELECT a FROM t "\nq += clause + " LIMIT 5"\nf(q)',
  `${quoted('', `escape(name) + "'"`)}\nf(q)`,
  'q = "SELECT a FROM t -- that\'s all"\nq += clause\nf(q)',
])
cases(
  'statements that grow in JavaScript',
  'a.js',
  [
    `let q = 'SELECT * FROM t WHERE 1'\nq += \` AND a = '\${x}'\`\nf(q)`,
    "let q = 'SELECT * FROM t WHERE 1'\nq += ' AND a = ' + x\nf(q)",
    'let sql = \'SELECT * FROM t\'\nsql += " WHERE c=\'" + name + "\'"\nf(sql)',
    `let sql = 'SELECT * FROM t'\nsql += \` WHERE c = '\${user_id}'\`\nf(sql)`,
  ],
  'sql-appended',
)
cases(
  'statements that grow in PHP',
  'a.php',
  [
    '<?php\n$sql = "SELECT a FROM t ";\n$sql .= "WHERE a = \'" . $b . "\'";',
    '<?php\n$sql = "SELECT a FROM t ";\n$sql .= "WHERE a = \'$name\'";',
    '<?php\n$sql = "SELECT a FROM t ";\n$sql .= "WHERE a = \'{$user_id}\'";',
  ],
  'sql-appended',
)
cases('statements that grow in PHP by what is quoted', 'a.php', [
  '<?php\n$sql = "SELECT a FROM t ";\n$sql .= "WHERE a = " . $pdo->quote($name);',
])
cases(
  'statements that grow in C#',
  'A.cs',
  ['class A { void F(string name) {\nvar sql = "SELECT a FROM t";\nsql += $" WHERE a = \'{name}\'";\n} }'],
  'sql-appended',
)
cases(
  'statements that grow in Java',
  'A.java',
  [
    'class A { void f(String b) {\nString sql = "SELECT a FROM t";\nsql += " WHERE a = " + b;\n} }',
    'class A { void f(String userName) {\nString sql = "SELECT a FROM t";\nsql += " WHERE a = \'" + userName + "\'";\n} }',
  ],
  'sql-appended',
)

cases('defaults that a framework reads', 'a.py', [
  'def f(a=Depends(b)):\n    return a',
  'def f(a=fastapi.Query(None)):\n    return a',
  'def f(a: str = Header(default=""), b=Security(c)):\n    return a, b',
])
cases('defaults that are shared', 'a.py', ['def f(a=now()):\n    return a'], 'B008')

cases('exports by CommonJS', 'a.js', [
  'var app = exports = module.exports = {}\nf(app)',
  'exports = module.exports = f',
])

cases('hashes that a protocol demands', 'a.py', [
  'import hashlib\nGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"\nx = hashlib.sha1(k + GUID)',
  'import hashlib\n# RFC 7616 names it\nx = hashlib.md5(k)',
  'import hashlib\nx = hashlib.sha1(b"blob %d" % len(k) + k)',
  'import hashlib\n\n\ndef etag(k):\n    return hashlib.md5(k)',
  'import hashlib\nGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"\n\n\ndef f(k):\n    return hashlib.sha1(k + GUID)',
  'import hashlib\n\n\n# As git does.\ndef f(k):\n\n    return hashlib.sha1(k)',
])
cases(
  'hashes that nothing demands',
  'a.py',
  [
    'import hashlib\nx = hashlib.sha1(password)',
    'import hashlib\n\n\ndef etag(k):\n    return k\n\n\ndef f(k):\n    return hashlib.md5(k)',
    'import hashlib\n\n\ndef f(password):\n    # git\n    return hashlib.md5(password.encode())',
    'import hashlib\n\n\n# Its etag.\ndef hash_password(k):\n    return hashlib.md5(k)',
  ],
  'S324',
)
cases(
  'hashes in JavaScript',
  'a.js',
  [
    "f(createHash('sha1').update(password))",
    "// git\nf(createHash('sha1')\n  .update(token))",
    "f(etag => {\n  etag()\n})\nf(k => {\n  return createHash('md5').update(k)\n})",
  ],
  'weak-hash',
)
cases('hashes that a protocol demands in JavaScript', 'a.js', [
  "// Sec-WebSocket-Accept\nf(createHash('sha1').update(key))",
  "f({\n  etag(body) {\n    if (body) {\n      return createHash('md5').update(body)\n    }\n  },\n})",
])

cases('lines that a comment allows', 'a.js', [
  'if (a == b) f() // eslint-disable-line eqeqeq',
  '// eslint-disable-next-line\nif (a == b) f()',
])
cases('lines that a comment allows something else', 'a.js', ['if (a == b) f() // eslint-disable-line no-var'], 'eqeqeq')
cases('what a package hands on', 'a/__init__.py', ['from .b import c'])

cases('what a module of nothing but imports hands on', 'a/compat.py', [
  'from .b import c\nfrom .d import (\n    e,\n    f,\n)\n\n__version__ = "1"',
  'try:\n    from .b import c\nexcept ImportError:\n    c = None',
  `import sys\n\nfrom .b import ${'cdefghijk'.split('').join(', ')}\n\n\ndef z():\n    return sys.path`,
])
cases(
  'imports that nobody uses',
  'a.py',
  [
    'import os\n\nx = 1',
    'from .b import c\n\n\ndef f():\n    return 1',
    'from .b import c\n\nprint(1)',
    'from .b import c, d, e, f, g\n\n\ndef h():\n    return c(d, e, f)',
  ],
  'F401',
)

cases(
  'statements that grow by formats in Go',
  'a.go',
  [
    'package a\nfunc f(name string) {\nsql := "SELECT a FROM t"\nsql += fmt.Sprintf(" WHERE a = \'%s\'", name)\n}',
    'package a\nfunc f(name string) {\nsql := "SELECT a FROM t"\nsql += fmt.Sprintf(" WHERE a = %v", name)\n}',
  ],
  'sql-appended',
)
cases('statements that grow by formats of numbers and constants', 'a.go', [
  'package a\nfunc f(id int) {\nsql := "SELECT a FROM t"\nsql += fmt.Sprintf(" WHERE a = %d", id)\n}',
  'package a\nfunc f() {\nsql := "SELECT a FROM t"\nsql += fmt.Sprintf(" LIMIT %s", LIMIT)\n}',
])
cases(
  'statements that grow by formats in Java',
  'A.java',
  [
    'class A { void f(String b) {\nString sql = "SELECT a FROM t";\nsql += " WHERE a = " + String.valueOf(b);\n} }',
    'class A { void f(String b) {\nString sql = "SELECT a FROM t";\nsql += String.format(" WHERE a = \'%s\'", b);\n} }',
  ],
  'sql-appended',
)
cases(
  'statements that grow by formats in C#',
  'A.cs',
  ['class A { void F(string b) {\nvar sql = "SELECT a FROM t";\nsql += string.Format(" WHERE a = \'{0}\'", b);\n} }'],
  'sql-appended',
)
cases('an error that Go code leaves out of account by name', 'a.go', ['package a\nfunc f() {\n_ = close()\n}'])

// Where each looks through all others, this takes half an hour.
it('judges thousands of imports that nobody uses in time', { timeout: 300_000 }, () => {
  const text = `${'from a import b\n'.repeat(50_000)}print(1)\n`
  const findings = Array.from({ length: 50_000 }, (_, at) => ({ ...syntaxError(at + 1, 1, ''), rule: 'F401' }))
  assert.deepEqual(withoutKnownSafe(findings, text, 'python', 'a.py'), [])
})
