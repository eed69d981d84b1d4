/** Right code in the usual idioms of each language, in which neither null members nor loops past the end are found. */
import { cases } from './cases.ts'

const right = (path: string, wrap: (code: string) => string, codes: readonly string[]) => {
  for (const rule of ['used-though-null', 'loop-past-the-end']) cases(rule, path, wrap, {}, codes)
}

right('A.java', code => `class A {\nConn conn; Buf buf; Map<Integer, String> names; int[] ids;\n${code}\n}\n`, [
  'Conn get() { if (conn == null) { connect(); conn.setAutoCommit(false); } return conn; }',
  'void fill(int n) { if (buf == null) { allocate(); buf.clear(); } copy(buf, n); }',
  'void open() { if (conn == null) load(); else conn = conn.next(); if (conn == null) { load(); conn.go(); } }',
  'int f(String s, List<String> all) { if (!(all != null && s == null)) { return s.length(); } return 0; }',
  'int f(String s, int n) { if ((s == null || n == 0) && n > 1) { return s.length(); } return 0; }',
  'int f(String s) { if (s == null) { logger.error(fail("none")); } return s.length(); }',
  'int f(String s) { if (s == null) { log.throwing("A", "f", new E()); } return s.length(); }',
  'int f(String s) { if (s == null) { log.warn("none"); } if (isThere()) { return s.length(); } return 0; }',
  'int f(String s, List<String> all) { if (s == null) { log.warn("none"); } if (all.isEmpty()) return 0; return s.length(); }',
  '@Test(expected = NullPointerException.class) void f() { String s = null; s.length(); }',
  '@Test(expected = RuntimeException.class) void f() { String s = null; s.length(); }',
  '@Test(expected = Exception.class) void f() { int[] n = {1}; for (int i = 0; i <= n.length; i++) g(n[i]); }',
  'void f() { thrown.expect(RuntimeException.class); String s = null; s.length(); }',
  '/** Throws an NPE. */ void f() { String s = null; s.length(); }',
  'void f() { String s = null; try { s.length(); } catch (final RuntimeException e) { g(e); } }',
  'int f(int n) { Node at = null; for (int i = 0; i < n; i++) { if (i > 0) at.next = g(); at = g(); } return n; }',
  'int f(Node at) { while (at != null && at.next != null) at = at.next; return at == null ? 0 : at.id; }',
  'void f(Reader r) { String line = null; while ((line = r.read()) != null) g(line.length()); }',
  'void f() { Runnable r = null; each(x -> { if (x == null) r.run(); else x.run(); }); }',
  'int f(String s) { return s == null || s.isEmpty() ? 0 : s.length(); }',
  'void f() { for (int i = 0; i <= names.size(); i++) g(names.get(i)); }',
  'void f(Map<Integer, String> names) { for (int i = 0; i <= names.size(); i++) { g(names.get(i)); } }',
  'void f(BitSet set) { for (int i = 0; i <= set.length(); i++) { g(set.get(i)); } }',
  'void f(int[] n) { for (int i = 0; i <= n.length; i += 2) { g(n[i]); } }',
  'void f(int[] n) { for (int i = 0; i <= n.length; i++) for (int j = 0; j < n.length - i; j++) g(n[i]); }',
  'void f(int[] n) { for (int i = 0; i <= n.length; i++) { if (i < ids.length - 1) g(n[i]); } }',
  'void f(int[] n) { for (int i = 0; i <= n.length; i++) { g(i); /* n[i] */ h("n[i]"); } }',
])

right('B.cs', code => `class B {\nT _x; string s; Color Color;\n${code}\n}\n`, [
  'T X { get { if (_x == null) { Load(); _x.Ready = true; } return _x; } }',
  'void F() { if (s == null) { Load(); Use(s.Length); } }',
  'void F(string s) { if (s == null) throw new E(nameof(s.Length)); G(s.Length); }',
  'void F(string s) { if (s == null) { Log(nameof(s.Length)); } }',
  'int F(Color Color) { if (Color == null) { return Color.Red; } return 0; }',
  'int F() { string t = null; Load(); return t.Length; void Load() { t = "a"; } }',
  'int F() { string t = null; Action load = () => t = "a"; load(); return t.Length; }',
  'int F() { string t = null; try { return t.Length; } catch (SystemException) { return 0; } }',
  '[ExpectedException(typeof(SystemException))] void F() { string t = null; G(t.Length); }',
  'int F() { string t = null; if (!Find(out t)) return 0; return t.Length; }',
  'int F(int? n) { if (n == null && !n.HasValue) return 1; return n ?? 0; }',
  'int F(string s) { if (s is null) return 0; return s.Length; }',
  'int F(string s) { if (s == null) { (s, _) = Pair(); return s.Length; } return 0; }',
  'void F(Dictionary<int, T> d) { for (int i = 0; i <= d.Count; i++) { if (!d.ContainsKey(i)) G(d[i]); } }',
  'void F(Dictionary<int, T> d) { for (int i = 0; i <= d.Count; i++) { G(d[i]); } }',
  'void F(List<T> all) { for (int i = 0; i <= all.Count; i++) { G(all.ElementAtOrDefault(i)); } }',
])

right('c.go', code => `package c\nvar db *T\nvar seen map[int]bool\n${code}\n`, [
  'func Get() *T { if db == nil { connect(); db.n = 1 }; return db }',
  'func (t *T) Name() string { if t == nil { return "none" }; return t.name }',
  'func f(t *T) { if t == nil { logger.Critical("none") }; g(t.name) }',
  'func f(t *T) { if t == nil { log.Fatal("none") }; g(t.name) }',
  'func f() { var t *T = nil; load(&t); g(t.name) }',
  'func f() { var t *T = nil; load := func() { t = g() }; load(); h(t.name) }',
  'func f() error { t, err := g(); if err == nil { return h(t.name) }; return err }',
  'func f(t *T) { if t == nil { t := g(); h(t.name) } }',
  'func f(t *T) uintptr { if t == nil { return unsafe.Offsetof(t.name) }; return 0 }',
  'func (e *E) Error() string { if e == nil { return "none" }; return e.s }\nfunc f(err *E) { if err == nil { g(err.Error()) } }',
  'func f(t *T) { if t == nil { for i := range t.places { g(i) } } }',
  'func (t *T) Close() {}\nfunc f(t *T) { if t == nil { g(t.Close) } }',
  'func f(t *T) { defer func() { g(recover()) }(); if t == nil { h(t.name) } }',
  'func f() int { for i := 0; i <= len(seen); i++ { if !seen[i] { return i } }; return 0 }',
  'func f(seen map[int]bool) { for i := 0; i <= len(seen); i++ { g(seen[i]) } }',
  'func f(a []int) { for i := 0; i <= len(a); i++ { a = append(a, 1); g(a[i]) } }',
  'func f(a []int) int { for i := 0; i <= len(a); i++ { if a[i] == 0 { return i } }; return 0 }',
])

right('d.php', code => `<?php\nfunction f(array $given)\n{\n${code}\n}\n`, [
  'for ($i = 0; $i <= count($given); $i++) { if (!empty($given[$i])) g($given[$i]); }',
  'for ($i = 0; $i <= count($given); $i++) { if (array_key_exists($i, $given)) g($given[$i]); }',
  'for ($i = 0; $i <= count($given); $i++) { g(@$given[$i]); }',
  'for ($i = 0; $i <= count($given); $i++) { fill($given[$i]); }',
])

right('e.rs', code => `${code}\n`, [
  'fn f(a: &[i32]) { for i in 0..=a.len() { match a.get(i) { Some(x) => g(x), None => h() } } }',
  'fn f(a: &[i32]) { for i in 0..=a.len() { g(a.get(i).unwrap_or(&0)); } }',
  'fn f(a: &[i32]) { let a = Padded::from(a); for i in 0..=a.len() { g(a[i]); } }',
  'fn f(a: &[i32]) { if let Some(a) = pad(a) { for i in 0..=a.len() { g(a[i]); } } }',
  'fn f(a: &Grid) { for i in 0..=a.len() { g(a[i]); } }',
  '#[test]\n#[should_panic]\nfn f() { let a = vec![1]; for i in 0..=a.len() { g(a[i]); } }',
  'fn f(a: &[i32]) { for i in 0..=a.len() { if i == a.len() { h(); } else { g(a[i]); } } }',
])

/** The parser takes what follows for a part of the block. */
const unfinished = (path: string, code: string) => right(path, () => code, [code])
unfinished('F.java', 'class F {\nint f(String s) {\nif (s == null) {\nreturn 0;\ns.length();\nreturn 1;\n}\n}\n')
unfinished('F.cs', 'class F {\nint F(string s) {\nif (s == null) {\nreturn 0;\nG(s.Length);\nreturn 1;\n}\n}\n')
unfinished('f.go', 'package f\nfunc f(s *T) {\nif s == nil {\nreturn\ng(s.x)\n}\nfunc g() {}\n')
unfinished(
  'G.java',
  'class G {\nvoid f(int[] n) {\nfor (int i = 0; i <= n.length; i++) {\ng(n[i]);\nh();\n}\nint g() { return 1; }\n}',
)
