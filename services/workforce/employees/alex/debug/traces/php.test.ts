import assert from 'node:assert/strict'
import { it } from 'node:test'
import { meaningOf } from '../known-errors.ts'
import { readTrace } from './read-trace.ts'

/** The innermost frame and what was thrown. */
function seen(text: string) {
  const trace = readTrace(text)
  const frame = trace?.thrown[0]?.frames[0]
  return {
    language: trace?.language,
    thrown: trace?.thrown.map(({ type, message }) => `${type}: ${message}`),
    place: `${frame?.file}:${frame?.line} ${frame?.function}`,
  }
}

const laravel = String.raw`[2026-03-01 10:12:13] production.ERROR: Order 7 failed {"userId":3,"exception":"[object] (App\\Exceptions\\OrderFailed(code: 0): Order 7 failed at /var/www/app/Orders.php:31)
[stacktrace]
#0 /var/www/app/Http/OrderController.php(20): App\\Orders->place(7)
#1 /var/www/vendor/laravel/framework/src/Illuminate/Routing/Controller.php(54): App\\Http\\OrderController->store(Object(Illuminate\\Http\\Request))
#2 {main}

[previous exception] [object] (PDOException(code: 42S02): SQLSTATE[42S02]: Base table or view not found at /var/www/app/Stock.php:12)
[stacktrace]
#0 /var/www/app/Orders.php(29): App\\Stock->take('chair', 2)
#1 {main}
"}`

it('the exception that Laravel logged last is the one that went wrong first', () => {
  assert.deepEqual(seen(laravel), {
    language: 'php',
    thrown: [
      'PDOException: SQLSTATE[42S02]: Base table or view not found',
      String.raw`App\Exceptions\OrderFailed: Order 7 failed`,
    ],
    place: String.raw`/var/www/app/Stock.php:12 App\Stock->take`,
  })
})

it('what a page, a log of Apache or FPM and a printed exception say is read', () => {
  const place = '/srv/app/main.php:5 average'
  const thrown = ['Error: Call to undefined function sum()']
  const trace =
    'Stack trace:\n#0 /srv/app/main.php(9): average(Array)\n#1 {main}\n  thrown in /srv/app/main.php on line 5'
  for (const text of [
    `\nFatal error: Uncaught Error: Call to undefined function sum() in /srv/app/main.php:5\n${trace}\n`,
    `<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function sum() in /srv/app/main.php:5\n${trace.replace('/srv/app/main.php on line 5', '<b>/srv/app/main.php</b> on line <b>5</b><br />')}\n`,
    `[Sun Mar 01 10:00:00 2026] [php:error] [pid 7] [client ::1:5] PHP Fatal error:  Uncaught Error: Call to undefined function sum() in /srv/app/main.php:5\\n${trace.replaceAll('\n', '\\n')}`,
    `2026/03/01 10:00:00 [error] 7#7: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error:  Uncaught Error: Call to undefined function sum() in /srv/app/main.php:5\n${trace}" while reading response header from upstream`,
    `Error: Call to undefined function sum() in /srv/app/main.php:5\n${trace}`,
  ]) {
    assert.deepEqual(seen(text), { language: 'php', thrown, place }, text)
  }
})

it('exceptions without a message, of classes without a name and with closures of PHP 8.4 are read', () => {
  const trace =
    'Stack trace:\n#0 [internal function]: {closure:average():4}()\n#1 C:\\app\\main.php(9): array_map()\n#2 {main}'
  assert.deepEqual(seen(`PHP Fatal error:  Uncaught LogicException in C:\\app\\main.php:5\n${trace}`), {
    language: 'php',
    thrown: ['LogicException: '],
    place: 'C:\\app\\main.php:5 {closure}',
  })
})

it('a warning is read where nothing worse is there', () => {
  const warning = 'PHP Warning:  Undefined variable $total in /srv/app/main.php on line 4'
  assert.deepEqual(seen(warning).thrown, ['Warning: Undefined variable $total'])
  const fatal = 'PHP Fatal error:  Maximum execution time of 30 seconds exceeded in /srv/app/main.php on line 8'
  assert.equal(seen(`${warning}\n${fatal}`).place, '/srv/app/main.php:8 null')
})

it('what a function of PHP itself throws is placed in the function that called it', () => {
  const trace = 'Stack trace:\n#0 /srv/app/main.php(7): json_decode()\n#1 /srv/app/main.php(9): read()\n#2 {main}'
  const said = `PHP Fatal error:  Uncaught JsonException: Syntax error in /srv/app/main.php:7\n${trace}`
  assert.equal(seen(said).place, '/srv/app/main.php:7 read')
})

const trace =
  'Stack trace:\n#0 /srv/app/main.php(9): average(Array)\n#1 {main}\n  thrown in /srv/app/main.php on line 5'
const fatal = 'PHP Fatal error:  Uncaught Error: Call to undefined function sum() in /srv/app/main.php:5'

it('what the program wrote before, and what failed after, is no part of it', () => {
  const thrown = ['Error: Call to undefined function sum()']
  const displayed = `${fatal.replace('PHP Fatal', 'Fatal')}\n${trace}`
  for (const text of [`Total: 5\nStarted: now\n${fatal}\n${trace}`, `${fatal}\n${trace}\n${displayed}`])
    assert.deepEqual(seen(text).thrown, thrown, text)
  const later = laravel.replaceAll('Order 7', 'Order 8')
  assert.deepEqual(seen(`${laravel}\n${later}`).thrown, seen(laravel).thrown)
})

it('exceptions without a trace are read, as Symfony logs them and as the first line alone', () => {
  assert.equal(seen(fatal).place, '/srv/app/main.php:5 null')
  const symfony = String.raw`[2026-03-01T10:12:13.123456+00:00] request.CRITICAL: Uncaught PHP Exception App\OrderFailed: "Order 7 failed" at Orders.php line 31 {"exception":"[object] (App\\OrderFailed(code: 0): Order 7 failed at /app/Orders.php:31)\n[previous exception] [object] (PDOException(code: 0): no \"stock\" at /app/Stock.php:12)"} []`
  assert.deepEqual(seen(symfony), {
    language: 'php',
    thrown: ['PDOException: no "stock"', String.raw`App\OrderFailed: Order 7 failed`],
    place: '/app/Stock.php:12 null',
  })
})

it('an error that a handler made an exception of is placed where it came up, and its cause is known', () => {
  const text = String.raw`[2026-03-01 10:12:13] local.ERROR: Undefined array key "name" {"exception":"[object] (ErrorException(code: 0): Undefined array key \"name\" at /app/Orders.php:31)
[stacktrace]
#0 /app/vendor/laravel/framework/src/Illuminate/Foundation/Bootstrap/HandleExceptions.php(256): Illuminate\\Foundation\\Bootstrap\\HandleExceptions->handleError(2, 'Undefined array...', '/app/Orders.php', 31)
#1 /app/Orders.php(31): Illuminate\\Foundation\\Bootstrap\\HandleExceptions->Illuminate\\Foundation\\Bootstrap\\{closure}(2, 'Undefined array...', '/app/Orders.php', 31)
#2 /app/Controller.php(20): App\\Orders->place(7)
#3 {main}
"}`
  assert.equal(seen(text).place, String.raw`/app/Orders.php:31 App\Orders->place`)
  const thrown = readTrace(text)?.thrown[0]
  assert.equal(thrown && meaningOf('php', thrown)?.cause, '"name" is not there when it is read.')
})

it('too few arguments are placed at the call, and arguments of several lines hide no frames', () => {
  const few = `PHP Fatal error:  Uncaught ArgumentCountError: Too few arguments to function average(), 0 passed in /srv/app/main.php on line 9 and exactly 1 expected in /srv/app/main.php:3`
  assert.equal(seen(`${few}\n${trace}`).place, '/srv/app/main.php:9 null')
  const lines = trace.replace('Array)\n', "'a\nb...')\n#1 /srv/app/main.php(12): report()\n")
  assert.equal(readTrace(`${fatal}\n${lines}`)?.thrown[0]?.frames.length, 3)
})

it('prose that names a place in a file is no trace', () => {
  for (const text of ['Warning: see the note in chapter two on line 5', 'Parse error: no end in config.yml on line 3'])
    assert.equal(readTrace(text), undefined)
  assert.equal(readTrace('Note: the total in /srv/app/main.php:5 is wrong.\nWarning: see there, on line 5'), undefined)
})

it('a title with a number sign in a message of Python stays as it is', () => {
  const python = 'Traceback (most recent call last):\n  File "/app/a.py", line 3, in f\n    g()\nValueError: title'
  assert.equal(readTrace(`${python} "List\\n#1 apples"`)?.thrown[0]?.message, 'title "List\\n#1 apples"')
})
