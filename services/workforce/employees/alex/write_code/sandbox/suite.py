# Runs the tests in the files given, and says what came of each. Stands in the interpreter in which the code does.
def suite():
    import asyncio, importlib, inspect, json, os, sys, unittest

    def fault(error):
        return f"{type(error).__name__}: {error}"[:500]

    def no_loop(*_, **__):
        raise RuntimeError("there is no event loop here")

    def cases_of(module):
        for case in unittest.defaultTestLoader.loadTestsFromModule(module):
            yield from case
        for name, value in list(vars(module).items()):
            if name.startswith("test") and inspect.isfunction(value) and not inspect.signature(value).parameters:
                yield name, value

    def name_of(case):
        return case[0] if isinstance(case, tuple) else case.id()

    def run_case(case):
        if isinstance(case, tuple):
            try:
                made = case[1]()
                if inspect.iscoroutine(made):
                    made.send(None)
            except StopIteration:
                pass
            except (Exception, SystemExit) as error:
                return fault(error)
            return ""
        result = unittest.TestResult()
        case.run(result)
        for _, trace in result.failures + result.errors:
            return trace.strip().splitlines()[-1][:500]
        return "" if result.testsRun > 0 else "not run"

    def run(paths):
        os.chdir("/given")
        sys.path.insert(0, "/given")
        results = []
        for path in paths:
            folder = os.path.dirname(path)
            if folder != "" and f"/given/{folder}" not in sys.path:
                sys.path.insert(0, f"/given/{folder}")
            try:
                cases = list(cases_of(importlib.import_module(os.path.basename(path)[:-3])))
            except (Exception, SystemExit) as error:
                results.append({"path": path, "name": path, "fault": fault(error)})
                continue
            results.extend({"path": path, "name": name_of(case), "fault": run_case(case)} for case in cases)
        return results

    with open("/tests.json") as file:
        paths = json.load(file)
    # What leads to JavaScript is behind the gate: an import that fails is an error, and what gets past that ends it all.
    for name in ["js", "pyodide_js", "_pyodide_core", "pyodide", "pyodide.code", "pyodide.ffi", "ctypes", "_ctypes"]:
        sys.modules[name] = None
    for module in [asyncio, asyncio.events]:
        module.new_event_loop = module.get_event_loop = no_loop
    asyncio.run = no_loop
    with open("/dev/gate", "w") as gate:
        gate.write("closed")
    results = run(paths)
    with open("/results.json", "w") as file:
        json.dump({"results": results}, file)


suite()
