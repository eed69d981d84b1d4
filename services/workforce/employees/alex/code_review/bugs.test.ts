/** Bugs that a function shows by itself, beside code that only looks like them. */
import { cases } from './cases.ts'

const php = (code: string) => `<?php\nfunction f($given)\n{\n${code}\n}\n`
cases(
  'read-before-set',
  'a.php',
  php,
  { "    $record = ['message' => $record];\n    return $record;": 4, '    $sum = $sum + $given;\n    return $sum;': 4 },
  [
    '    $given = trim($given);\n    return $given;',
    '    foreach ($given as $sum) {}\n    $sum = $sum + 1;\n    return $sum;',
    '    preg_match("/a/", $given, $found);\n    $found = $found[0];\n    return $found;',
    '    global $sum;\n    $sum = $sum + 1;',
    '    extract($given);\n    $sum = $sum + 1;\n    return $sum;',
    '    $sum = isset($sum) ? $sum : 1;\n    return $sum;',
    '    $sum = 1;\n    $sum = $sum + 1;\n    return $sum;',
    '    $sum = A::$sum;\n    return $sum;',
    '    A::$sum = $given;\n    return A::$sum;',
    '    foreach ($given as $one) { $sum = $sum ?? $one; }\n    return $sum;',
    '    $sum = $sum["a"] ?? 1;\n    return $sum;',
  ],
)
cases('never-read', 'a.php', php, { '    $late = $given + 1;\n    return $given;': 4 }, [
  '    $late = $given + 1;\n    return $late;',
  '    $late = $given + 1;\n    return compact("late");',
  '    $late = &$given;\n    $late = 1;',
  '    $late = $given + 1;\n    return "at $late";',
  '    $late = $given + 1;\n    return function () use ($late) { return $late; };',
  '    if ($late = $given) { return 1; }\n    return 2;',
  '    static $late = 1;\n    $late = 2;',
  '    $_ = $given->next();\n    $unused = $given->next();',
  '    $late[] = $given;\n    $late["a"] = 1;',
])

const go = (code: string) => `package a\nfunc f(a, b string) {\n${code}\n}\n`
cases(
  'format-arguments',
  'a.go',
  go,
  {
    '\tfmt.Printf("%s %d\\n", a)': 3,
    '\tfmt.Fprintf(os.Stdout, "100%\\n")': 3,
    '\tx := fmt.Sprintf("none", a)\n\tuse(x)': 3,
    '\tlog.Fatalf(`%-36s %v`, a)': 3,
  },
  [
    '\tfmt.Printf("%s %5.2f %%\\n", a, b)',
    '\tfmt.Fprintf(os.Stdout, "%+v", a)',
    '\tfmt.Printf("%[1]s %[1]s", a)',
    '\tfmt.Printf("%*d", a, b)',
    '\tfmt.Printf("%s %s", a...)',
    '\tfmt.Printf("%s" + b, a, b)',
    '\tfmt.Printf("%s", /* the name */ a)',
  ],
)

cases('never-runs', 'a.rb', code => `def f(a)\n${code}\nend\n`, { '  return true\n  a.b': 2 }, [
  '  return true if a\n  a.b',
  '  a.b\n  return true',
  '  return true\n  # So it is.',
  '  return true\nrescue A\n  a.b',
  '  return true\nensure\n  a.b',
  '  return <<~TEXT\n    a\n  TEXT',
])

const js = (code: string) => `export const f = (a, b) => {\n${code}\n}\n`
cases('fallback-of-zero', 'a.js', js, { '  return a || 0 / 1024': 2, '  return a?.length ?? 0 * b': 2 }, [
  '  return (a || 0) / 1024',
  '  return a || 30 * 1024',
  '  return a || b / 2',
])
cases(
  'exit-code-ignored',
  'a.js',
  code => `import { spawnSync } from 'node:child_process'\n${code}\n`,
  { "spawnSync('a', [])": 2 },
  ["const { status } = spawnSync('a', [])\nprocess.exitCode = status", "process.exit(spawnSync('a', []).status)"],
)

cases(
  'result-unused',
  'a.js',
  js,
  {
    '  a.trim()\n  return a': 2,
    "  a.replace(/x/g, 'y')\n  return a": 2,
    '  a.toSorted()\n  return a': 2,
    '  a.forEach(one => {\n    one.trim()\n  })': 3,
  },
  [
    '  return a.trim()',
    "  a.replace('/home')\n  return b",
    '  a.replace(/x/g, found => b.push(found))\n  return b',
    '  try { a.toFixed(2) } catch { return b }\n  return a',
    '  assert.throws(() => {\n    a.toFixed(101)\n  }, RangeError)',
    '  expect(() => {\n    a.toFixed(101)\n  }).toThrow()',
    '  a.concat(b)\n  return b',
  ],
)
cases(
  'result-unused',
  'a.go',
  go,
  { '\tfmt.Errorf("no %s", a)': 3, '\tstrings.TrimSpace(a)': 3, '\tcontext.WithValue(c, a, b)': 3 },
  [
    '\tx := strings.TrimSpace(a)\n\tuse(x)',
    '\treturn fmt.Errorf("no %s", a)',
    '\tmine.TrimSpace(a)',
    '\tfmt.Println(a)',
  ],
)
const java = (code: string) => `class A {\n  void f(String a, java.util.List<String> b) {\n${code}\n  }\n}\n`
cases('result-unused', 'A.java', java, { '    a.trim();': 3, '    a.replaceAll("x", "y");': 3 }, [
  '    a = a.trim();',
  '    b.replaceAll(String::trim);',
  '    b.replace("x", "y");',
  '    trim();',
  '    assertThrows(RuntimeException.class, () -> { a.substring(9); });',
  '    try { a.substring(9); } catch (RuntimeException e) { b.add(a); }',
])
cases(
  'result-unused',
  'a.php',
  php,
  { '    trim($given);\n    return $given;': 4, '    array_merge($given, [1]);': 4 },
  [
    '    return trim($given);',
    '    $given = array_merge($given, [1]);',
    '    sort($given);\n    return $given;',
    '    $given->trim();\n    return $given;',
  ],
)
cases(
  'interface-not-asked',
  'a.go',
  go,
  { '\tw.(http.Flusher).Flush()': 3, '\treturn w.inner.(http.Hijacker).Hijack()': 3, '\tr.(io.Closer).Close()': 3 },
  [
    '\tif one, ok := w.(http.Flusher); ok {\n\t\tone.Flush()\n\t}',
    '\tif _, ok := w.(http.Flusher); ok {\n\t\tw.(http.Flusher).Flush()\n\t}',
    '\tw.(*writer).Flush()',
    '\tw.(Closer).Close()',
  ],
)
const withFinally = (code: string) => `export async function f(a, b) {\n${code}\n}\n`
cases(
  'finally-before-the-end',
  'a.js',
  withFinally,
  {
    '  try {\n    return b(a)\n  } finally {\n    await a.close()\n  }': 3,
    '  try {\n    return later(a)\n  } finally {\n    await a.close()\n  }\n}\nfunction later(x) {\n  return fetch(x)': 3,
    '  try {\n    if (b) return a.query(b)\n  } finally {\n    if (b) await a.close()\n  }': 3,
  },
  [
    '  try {\n    return await b(a)\n  } finally {\n    await a.close()\n  }',
    '  try {\n    return b(a)\n  } finally {\n    a.close()\n  }',
    '  try {\n    return JSON.parse(await b(a))\n  } finally {\n    await a.close()\n  }',
    '  try {\n    return await Promise.all(a.map(() => { return b(a) }))\n  } finally {\n    await a.close()\n  }',
    '  try {\n    await b(a)\n  } catch {\n    return b(a)\n  } finally {\n    await a.close()\n  }',
    '  try {\n    return parseInt(await b(a), 10)\n  } finally {\n    await a.close()\n  }',
    '  try {\n    return (await b(a)).reduce((x, y) => x + y, 0)\n  } finally {\n    await a.close()\n  }',
    '  try {\n    return plain(await b(a))\n  } finally {\n    await a.close()\n  }\n}\nfunction plain(x) {\n  return x + 1',
    '  try {\n    return plain(await b(a))\n  } finally {\n    await a.close()\n  }\n}\nconst plain = x => {\n  return x + 1',
  ],
)

const loop = (code: string) =>
  `import java.util.*;\nclass A {\n  void f(List<String> names, Map<String, Integer> counts, java.util.concurrent.ConcurrentHashMap<String, String> live) {\n${code}\n  }\n}\n`
cases(
  'changed-in-its-loop',
  'A.java',
  loop,
  {
    '    for (String one : names) {\n      if (one.isBlank()) {\n        names.remove(one);\n      }\n    }': 6,
    '    for (String one : names) {\n      names.add(one.trim());\n    }': 5,
    '    for (String one : counts.keySet()) if (one.isBlank()) counts.remove(one);': 4,
    '    for (Map.Entry<String, Integer> one : counts.entrySet()) {\n      if (one.getValue() == 0) counts.remove(one.getKey());\n    }': 5,
    '    for (String one : this.pending) {\n      this.pending.remove(one);\n    }': 5,
    '    for (String one : names) {\n      for (String other : one.split(",")) {\n        if (other.isBlank()) { names.remove(one); break; }\n      }\n    }': 6,
    '    for (String one : names) {\n      switch (one) { case "a": names.remove(one); break; default: f(null, null, null); }\n    }': 5,
    '    List<String> own = new ArrayList<>(names);\n    for (String one : own) {\n      try { own.remove(one); } finally { one.trim(); }\n    }': 6,
  },
  [
    '    for (String one : names) {\n      if (one.isBlank()) {\n        names.remove(one);\n        break;\n      }\n    }',
    '    for (String one : names) {\n      if (one.isBlank()) { names.remove(one); return; }\n    }',
    '    for (String one : names) {\n      if (one.isBlank()) { names.remove(one); }\n      break;\n    }',
    '    for (String one : new ArrayList<>(names)) names.remove(one);',
    '    for (String one : List.copyOf(names)) names.remove(one);',
    '    for (Iterator<String> it = names.iterator(); it.hasNext();) { if (it.next().isBlank()) it.remove(); }',
    '    for (String one : live.keySet()) live.remove(one);',
    '    List<String> copied = new java.util.concurrent.CopyOnWriteArrayList<>(names);\n    for (String one : copied) copied.remove(one);',
    '    for (String one : names) counts.remove(one);',
    '    for (String one : names) later(() -> { names.remove(one); });',
    '    for (String one : names) { if (names.remove(one)) return; }',
    '    for (String one : counts.keySet()) counts.put(one, 1);',
    '    outer:\n    for (String one : names) {\n      for (String other : names) { names.remove(other); break outer; }\n    }',
    '    for (String one : registry) registry.clear();',
  ],
)
cases(
  'changed-in-its-loop',
  'a.cs',
  code => `class A {\n  void F(List<string> names, Dictionary<string, int> counts) {\n${code}\n  }\n}\n`,
  {
    '    foreach (var one in names) { if (one == "") { names.Remove(one); } }': 3,
    '    var own = names.Where(one => one != "").ToList();\n    foreach (var one in own) own.Add(one);': 4,
  },
  [
    '    foreach (var one in names) { if (one == "") { names.Remove(one); break; } }',
    '    foreach (var one in names.ToList()) names.Remove(one);',
    '    foreach (var one in counts.Keys) counts.Remove(one);',
    '    foreach (var one in unknown) unknown.Remove(one);',
  ],
)
cases(
  'B909',
  'a.py',
  code => `def f(names: list, counts: dict):\n${code}\n`,
  {
    '    for one in names:\n        if not one:\n            names.remove(one)': 4,
    '    for one in counts:\n        if not counts[one]:\n            del counts[one]': 4,
    '    for one in counts.keys():\n        counts.pop(one)': 3,
  },
  [
    '    for one in names:\n        if not one:\n            names.remove(one)\n            break',
    '    for one in list(names):\n        names.remove(one)',
    '    for one in names[:]:\n        names.remove(one)',
    '    for one in list(counts):\n        del counts[one]',
    '    for one in names:\n        if one:\n            names.append(one.parent)',
    '    for one in counts:\n        counts[one] += 1',
    '    for one in counts.items():\n        counts[one] = 1',
    '    for at, one in enumerate(names):\n        names.pop(at)\n        names.insert(at, one.trim())',
  ],
)

cases('panics-on-error', 'a.rs', code => `${code}\n`, { 'fn f(a: &str) -> u8 {\n    a.parse().unwrap()\n}': 2 }, [
  '#[cfg(test)]\nmod tests {\n    fn given() -> u8 {\n        "1".parse().unwrap()\n    }\n}',
  '#[test]\nfn reads() {\n    f("1").unwrap();\n}',
  '#[tokio::test]\n// Of a server.\n#[ignore]\nasync fn reads() {\n    f("1").await.unwrap();\n}',
])
