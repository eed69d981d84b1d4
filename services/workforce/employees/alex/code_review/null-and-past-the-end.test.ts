/** Members of variables that are null, and loops that run once past the end, beside right code in the usual idioms. */
import { cases } from './cases.ts'

const go = (code: string) => `package a\nfunc f(a, b string) {\n${code}\n}\n`
const javaMethod = (code: string) => `class A {\nint f(String s, List<String> all, int[] n) {\n${code}\n}\n}\n`
cases(
  'used-though-null',
  'A.java',
  javaMethod,
  {
    'if (s == null) { log.warn("none"); }\nreturn s.length();': 4,
    'if (null == s && all != null) {\n  return s.length();\n}\nreturn 0;': 4,
    'if (s == null && s.isEmpty()) return 1;\nreturn 0;': 3,
    'if (s != null || s.isEmpty()) return 1;\nreturn 0;': 3,
    'if (s != null) return 1; else\n  return s.length();': 4,
    'return s == null ? s.length() : 0;': 3,
    'String last = null;\nreturn last.length();': 4,
    'int[] m = null;\nm[0] = 1;\nreturn 1;': 4,
  },
  [
    'if (s == null) { return 0; }\nreturn s.length();',
    'if (s == null) { log.error("none"); throw new X(); }\nreturn s.length();',
    'if (s == null) { s = ""; }\nreturn s.length();',
    'if (s == null) { fail("none"); }\nreturn s.length();',
    'if (s == null) log.fatal("none");\nreturn s.length();',
    'if (s == null || s.isEmpty()) return 1;\nreturn s.length();',
    'if (s != null && s.isEmpty()) return 1;\nreturn 0;',
    'if (s == null) { s = next(); s.length(); }\nreturn 0;',
    'if (s == null || all == null) { return s.length(); }\nreturn 0;',
    'String last = null;\nfor (String one : all) { if (last != null) { g(last.length()); } last = one; }\nreturn 0;',
    'String last = null;\nwhile ((last = next()) != null) { g(last.length()); }\nreturn 0;',
    'String last = null;\ntry { last.length(); } catch (NullPointerException e) { g(e); }\nreturn 0;',
    'if (cache == null) { log.warn("none"); }\nreturn cache.length();',
    'if (s == null) { all.forEach(one -> g(s.length())); }\nreturn 0;',
  ],
)
cases(
  'loop-past-the-end',
  'A.java',
  javaMethod,
  {
    'for (int i = 0; i <= n.length; i++) g(n[i]);\nreturn 0;': 3,
    'for (int i = 0; i <= all.size(); i++) {\n  g(all.get(i));\n}\nreturn 0;': 3,
    'for (int i = 0; i <= s.length(); i++) g(s.charAt(i));\nreturn 0;': 3,
  },
  [
    'for (int i = 0; i < n.length; i++) g(n[i]);\nreturn 0;',
    'for (int i = 1; i <= n.length; i++) g(n[i - 1]);\nreturn 0;',
    "for (int i = 0; i <= s.length(); i++) { if (i == s.length() || s.charAt(i) == 'a') g(i); }\nreturn 0;",
    'for (int i = 0; i <= s.length(); i++) g(s.substring(i));\nreturn 0;',
  ],
)
cases('loop-past-the-end', 'b.go', go, { 'for i := 0; i <= len(a); i++ {\n  g(a[i])\n}': 3 }, [
  'for i := 0; i <= len(a); i++ {\n  g(a[:i])\n}',
])
cases(
  'used-though-null',
  'b.go',
  go,
  {
    'if err := g(); err == nil {\n  return err.Error()\n}': 4,
    'var t *T\nif t == nil {\n  g(t.name)\n}': 5,
  },
  ['var t *T\nif t == nil {\n  t.Reset()\n}', 'if err := g(); err != nil {\n  return err.Error()\n}'],
)
const csharpMethod = (code: string) => `class A {\nint F(string s) {\n${code}\n}\n}\n`
cases(
  'used-though-null',
  'B.cs',
  csharpMethod,
  { 'if (s == null) { return s.Length; }\nreturn 0;': 3, 'if (s == null && s.Length > 0) return 1;\nreturn 0;': 3 },
  ['if (s == null) { return s?.Length ?? 0; }\nreturn 0;', 'if (s == null) { s.ThrowIfNull(); }\nreturn 0;'],
)
cases('loop-past-the-end', 'B.cs', csharpMethod, { 'for (int i = 0; i <= s.Length; i++) G(s[i]);\nreturn 0;': 3 }, [
  'for (int i = 0; i <= s.Length; i++) G(s[..i]);\nreturn 0;',
])
const rust = (code: string) => `fn f(a: &[i32]) {\n${code}\n}\n`
cases('loop-past-the-end', 'a.rs', rust, { 'for i in 0..=a.len() { g(a[i]); }': 2 }, [
  'for i in 0..a.len() { g(a[i]); }',
  'for i in 0..=a.len() { g(&a[..i]); }',
])
