/** What can be set, and what it is otherwise. `docs/operating.md` shows this table. */
