"""The module, against the command: every number that both have is the same. `python3 -m unittest` in this folder, with
LONGHAND_LIBRARY and LONGHAND naming the library and the program; meson does that."""
import ctypes
import html
import json
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import longhand  # noqa: E402
from longhand import _alive, _library, _numbers  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

PROGRAM = os.environ.get("LONGHAND", "longhand")
NOTES = "the cat sat on the mat. the dog sat on the log. a cat and a dog sat. the old dog ran. " * 12


def command(*arguments):
    """What the command writes as JSON."""
    run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    if run.returncode > 1:
        raise AssertionError(run.stderr)
    return json.loads(run.stdout)


class _Managed(ctypes.Structure):
    """What a capsule of DLPack points at."""

    _fields_ = _numbers._DLTensor._fields_ + [("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Packed:
    """Memory that offers itself by DLPack alone, as tensors of PyTorch, JAX and others do."""

    def __init__(self, address, shape, strides=None, code=2, bits=64, device=1, array=None):
        self.device, self.array = device, array
        sizes = ctypes.c_int64 * len(shape)
        self.kept = (sizes(*shape), sizes(*strides) if strides else None)
        self.tensor = _Managed(address, device, 0, len(shape), code, bits, 1, self.kept[0], self.kept[1], 0, None, None)
        if array is not None:
            self.tolist = array.tolist

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **_):
        if self.array is not None:
            return self.array.__dlpack__()
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


class OnlyArray:
    """What can be asked for an array, and for nothing else."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


class Tensor:
    """The part of a tensor of PyTorch that is asked where it lies."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    device = type("device", (), {"type": "cpu"})

    def detach(self):
        return self

    def element_size(self):
        return self.array.itemsize

    def is_floating_point(self):
        return True

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def data_ptr(self):
        return self.array.ctypes.data


def lists(x):
    return x.tolist() if hasattr(x, "tolist") else x


def small():
    m = longhand.open("gpt")
    for name, value in {"layers": 2, "dim": 16, "heads": 2, "context": 16}.items():
        m.set(name, value)
    return m


class Numbers(unittest.TestCase):
    def compare(self, lesson):
        m, told = longhand.open(lesson), command("run", lesson, "--json")
        compared = 0
        for step in told["steps"]:
            for e, example in enumerate(step["values"]):
                for h, rows in enumerate(example):
                    mine = lists(m.array(step["path"], e, h))
                    for a, b in zip(sum(mine, []), sum(rows, [])):
                        b = float(b)
                        self.assertTrue(a == b or (math.isnan(a) and math.isnan(b)), (step["path"], a, b))
                        compared += 1
        return compared

    def test_every_number_of_the_lessons(self):
        self.assertGreater(sum(self.compare(x) for x in ("ex1", "ex2", "ex3", "ex4", "ex5", "attention:bag")), 1000)

    def test_trace_is_the_command(self):
        self.assertEqual(longhand.open("ex3").trace(), command("run", "ex3", "--json"))
        self.assertEqual(longhand.open("ex4").costs(), command("cost", "ex4", "--json"))

    def test_getting(self):
        m = longhand.open("ex1")
        self.assertAlmostEqual(m["P[1][0]"], 0.498232, 6)
        self.assertAlmostEqual(lists(m["P"])[1][0], 0.498232, 6)
        self.assertEqual(lists(m["P[1]"]), lists(m["P"])[1])  # a row, not its first number
        self.assertEqual(m.size("P"), longhand.Size(1, 1, 2, 2))
        self.assertIn("P", m)
        self.assertNotIn("nothing", m)
        self.assertIn("WO", list(m))
        ex4 = longhand.open("ex4")
        self.assertIsInstance(ex4["loss"], float)
        self.assertEqual(len(ex4["L"]), 3)
        self.assertEqual(ex4.examples, 3)
        ex4.batch([1])
        self.assertEqual(ex4.examples, 1)
        heads = longhand.program("const x = [1 2 3 4; 5 6 7 8]\ny = split(x, 2) * 10\n")
        self.assertEqual(lists(heads["y"]), [[[10, 20], [50, 60]], [[30, 40], [70, 80]]])
        self.assertEqual(lists(heads["y{head 1}"]), [[30, 40], [70, 80]])
        self.assertEqual(lists(heads["y{head 1}[1]"]), [70, 80])
        with self.assertRaisesRegex(longhand.LonghandError, "which head"):
            heads["y[1]"]
        ex2 = longhand.open("ex2")
        after = longhand.open("ex2").step(3)
        self.assertEqual(lists(ex2["WO@3"]), lists(after["WO"]))
        self.assertEqual(ex2["probs[2]"], lists(ex2["probs"])[0][2])  # one row: its cell, as in the notation
        with self.assertRaisesRegex(longhand.LonghandError, "there is no row 9"):
            ex2["WO[9]"]
        ragged = longhand.program("vocab A B\nexample A B -> A\nexample A -> B\nx = tokens * 2\n")
        self.assertEqual([lists(x) for x in ragged["x"]], [[[0], [2]], [[0]]])

    def test_dlpack(self):
        """Read where it lies, in float and double and with strides; without NumPy, too."""
        for kind, bits in ((ctypes.c_double, 64), (ctypes.c_float, 32)):
            memory = (kind * 12)(*range(12))
            address = ctypes.addressof(memory)
            self.assertEqual(_numbers.block_of(Packed(address, (3, 4), bits=bits)).address, address)
            m = longhand.program("const x : 3 x 4 = 0\ny = x * 2\n")
            m["x"] = Packed(address, (3, 4), bits=bits)
            self.assertEqual(lists(m.run()["y"]), [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18, 20, 22]])
            turned = longhand.program("const x : 4 x 3 = 0\ny = x * 2\n")
            turned["x"] = Packed(address, (4, 3), strides=(1, 4), bits=bits)
            self.assertEqual(lists(turned.run()["y"])[1], [2, 10, 18])
        self.assertIsNone(_numbers._from_dlpack(Packed(address, (3, 4), bits=32, device=2)))  # of a graphics card

    def test_setting(self):
        m = longhand.open("ex1")
        m["WQ"] = [[1, 2], [3, 4]]
        m["WK[0][1]"] = 7
        m.run()
        self.assertEqual(lists(m["WQ"]), [[1, 2], [3, 4]])
        self.assertEqual(m["WK[0][1]"], 7)
        with self.assertRaises(longhand.LonghandError) as caught:
            m["WQ"] = [[1, 2, 3]]
        self.assertEqual(caught.exception.kind, "shape")
        with self.assertRaises(ValueError):
            m["WQ"] = [[1, 2], [3]]
        with self.assertRaises(longhand.LonghandError):
            m["P"] = [[1, 2], [3, 4]]
        m.hold("S")
        m["S"] = [[1, 2], [3, 4]]
        m.run()
        self.assertAlmostEqual(m["Z[1][1]"], 4 / math.sqrt(2))
        m.release().run()
        self.assertEqual(lists(m.evaluate("Z", S=[[2, 0], [0, 2]]))[0][0], 2 / math.sqrt(2))

    def test_changing(self):
        m = longhand.open("ex4")
        m.set("rate", 1).step(5)
        told = command("explain", "ex4", "WO[0][3]@5", "--set", "rate=1", "--json")
        self.assertEqual(m["WO[0][3]"], told["value"])
        self.assertEqual(m.updates, 5)
        self.assertEqual(m.reset().updates, 0)
        m.freeze("WQ")
        self.assertNotIn("dWQ", m)
        m.restore().train("E")
        self.assertIn("dE", m)
        r = longhand.open("ex3").rewrite("Z", "a / sqrt(cols(k)) => a")
        self.assertEqual(r["Z[1][1]"], r["S[1][1]"])
        self.assertEqual(longhand.open("ex3").matches("Z", "a / sqrt(cols(k)) => a"), 1)

    def test_a_wrong_setting_spoils_nothing(self):
        m = longhand.open("ex4")
        loss = m["loss"]
        m.set("rte", 1)
        with self.assertRaises(longhand.LonghandError) as caught:
            m.run()
        self.assertIn("rte", str(caught.exception))
        self.assertEqual(m["loss"], loss)

    def test_words(self):
        m = longhand.open("ex1")
        self.assertEqual((m.token("C"), m.word(2), m.token("nobody"), m.word(99)), (2, "C", -1, None))


@unittest.skipIf(numpy is None, "there is no NumPy")
class Arrays(unittest.TestCase):
    def test_views(self):
        m = longhand.open("ex1").run()
        view = m.array("P", copy=False)
        self.assertFalse(view.flags.writeable)
        self.assertTrue(numpy.array_equal(view, m["P"]))
        m["WQ"] = numpy.eye(2)
        m.run()
        self.assertTrue(numpy.array_equal(m.array("P", copy=False), m["P"]))

    def test_layouts_go_in_as_they_are(self):
        m = longhand.program("const x : 3 x 4 = 0\ny = x * 2\n")
        whole = numpy.arange(48, dtype=float).reshape(6, 8)
        for x in (whole[:3, :4], whole[::2, ::2], whole[:4, :3].T, whole.astype("f4")[:3, :4], numpy.asfortranarray(whole[:3, :4]),
                  whole[:3, :4].astype(int), whole[2::-1, :4], whole.astype(">f8")[:3, :4]):
            m["x"] = x
            m.run()
            self.assertTrue(numpy.array_equal(m["y"], 2.0 * x))

    def test_nothing_is_copied(self):
        x = numpy.zeros((4, 6))
        self.assertEqual(_numbers.block_of(x[:, 1:3]).address, x.ctypes.data + 8)
        self.assertIs(_numbers.block_of(x).owner, x)
        self.assertEqual(_numbers.block_of(memoryview(x)).address, x.ctypes.data)

        class Elsewhere:  # whatever says where it lies
            __array_interface__ = x.__array_interface__
        self.assertEqual(_numbers.block_of(Elsewhere()).address, x.ctypes.data)

    def test_what_cannot_be_read_in_place(self):
        numbers = numpy.arange(6).reshape(2, 3)  # integers: a copy in double
        for x in (Packed(numbers.ctypes.data, (2, 3), code=0, bits=64, array=numbers), OnlyArray(numbers)):
            block = _numbers.block_of(x)
            self.assertNotEqual(block.address, numbers.ctypes.data)
            self.assertEqual((block.item, block.rows, block.cols), (8, 2, 3))
        m = longhand.program("const x : 2 x 3 = 0\ny = x * 2\n")
        m["x"] = OnlyArray(numbers)
        self.assertTrue(numpy.array_equal(m.run()["y"], 2 * numbers))

    def test_tensor_of_another_library(self):
        """What a tensor of PyTorch says of itself, said by a class of our own: PyTorch need not be there."""
        x = numpy.arange(12, dtype="f4").reshape(3, 4)
        self.assertEqual(_numbers.block_of(Tensor(x)).address, x.ctypes.data)
        m = longhand.program("const x : 4 x 3 = 0\ny = x * 2\n")
        m["x"] = Tensor(x.T)
        self.assertTrue(numpy.array_equal(m.run()["y"], 2 * x.T))

    def test_tensors(self):
        try:
            import torch
        except ImportError:
            self.skipTest("there is no PyTorch")
        x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
        self.assertEqual(_numbers.block_of(x).address, x.data_ptr())
        m = longhand.program("const x : 4 x 3 = 0\ny = x * 2\n")
        m["x"] = x.T
        self.assertTrue(numpy.array_equal(m.run()["y"], 2 * x.T.numpy()))

    def test_single(self):
        self.assertEqual(longhand.open("ex1").array("P", dtype="f4").dtype, numpy.float32)
        with self.assertRaises(ValueError):
            longhand.open("ex1").array("P", dtype="i4")


class Errors(unittest.TestCase):
    def test_place_and_cure(self):
        with self.assertRaises(longhand.LonghandError) as caught:
            longhand.program("const Q = [1 2 3; 4 5 6]\nS = Q @ Q\n", "mine.lh").run()
        e = caught.exception
        self.assertEqual((e.kind, e.file, e.line, e.source), ("shape", "mine.lh", 2, "S = Q @ Q"))
        self.assertIn("inner sizes", e.what)
        self.assertTrue(e.cure)
        self.assertIn("mine.lh:2", str(e))
        self.assertIn("^", str(e))
        again = pickle.loads(pickle.dumps(e))
        self.assertEqual((str(again), again.line), (str(e), e.line))

    def test_names_and_files(self):
        for call in (lambda: longhand.open("ex11"), lambda: longhand.open("/nowhere/mine.lh"), lambda: longhand.load("/nowhere"),
                     lambda: longhand.open("ex1")["nothing"], lambda: longhand.open("ex1").explain("P[9][9]"),
                     lambda: longhand.program("x = [1 2\n"), lambda: longhand.program("")["x"],
                     lambda: longhand.open("ex1").generate("a"), lambda: longhand.open("ex1").plot("cake P")):
            with self.assertRaises(longhand.LonghandError):
                call()

    def test_closed(self):
        with longhand.open("ex1") as m:
            pass
        with self.assertRaises(longhand.LonghandError):
            m.run()
        m.close()
        self.assertIn("closed", repr(m))

    def test_threads(self):
        m, wrong = longhand.open("ex4"), []

        def work():
            for _ in range(20):
                m.run()
                wrong.extend([] if abs(m["P{example 0}[0][0]"] - 0.5) < 0.1 else [1])
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(wrong, [])


class Telling(unittest.TestCase):
    def test_explanations(self):
        told = command("explain", "ex1", "P[1][0]", "--json")
        e = longhand.open("ex1").explain("P[1][0]")
        self.assertEqual({k: v for k, v in e.data.items() if k != "comment"}, told)
        self.assertEqual(float(e), told["value"])
        self.assertIn("exp(0 - 0.00707107)", str(e))
        self.assertIn("<code>", e._repr_html_())
        self.assertGreater(len(longhand.open("ex1").explain("P[1][0]", deep=True).lines), len(e.lines))

    def test_check(self):
        check, told = longhand.open("ex2").check(), command("check", "ex2", "--json")
        self.assertTrue(check)
        self.assertEqual(check.findings, told["findings"])
        self.assertIn("all is well", str(check))
        wrong = longhand.program("const x = [1 2]\nL = sum(x * x)\ndx = x\n").check()
        self.assertFalse(wrong)
        self.assertIn("should be", str(wrong))

    def test_pictures(self):
        m = longhand.open("ex4")
        for picture in (m.plot("heat P"), m.plot("loss 10"), m.graph(), m.graph(to="S"), m.diagram(), longhand.diagram("gpt")):
            self.assertTrue(picture._repr_svg_().lstrip().startswith(("<svg", "<?xml")))
        with tempfile.TemporaryDirectory() as folder:
            m.plot("heat P").save(os.path.join(folder, "p.svg"))
            self.assertTrue(os.path.getsize(os.path.join(folder, "p.svg")) > 100)

    def test_html(self):
        shown = longhand.open("ex4")._repr_html_()
        self.assertIn("example 2", shown)
        self.assertIn("0.1", shown)
        self.assertIn("<table>", longhand.open("ex1").explain("P[1][0]")._repr_html_() + shown)
        self.assertIn("&lt;", longhand.program("x = 1 < 2\n")._repr_html_())

    def test_cost_and_steps(self):
        m = longhand.open("ex4")
        self.assertEqual(m.cost().parameters.number, sum(m.size(s.path).rows * m.size(s.path).cols for s in m.steps if s.learns))
        self.assertEqual(m.find("P").formula, "softmax(Z)")
        self.assertEqual(m.find("E").kind, "given")

    def test_lessons(self):
        self.assertIn("ex1", longhand.lessons())
        self.assertIn("gpt", longhand.lessons())
        self.assertEqual(longhand.version(), longhand.__version__)
        told = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(longhand.version(), told)


class Exercises(unittest.TestCase):
    def test_keys_are_right(self):
        m = longhand.open("softmax")
        told = command("exercise", "softmax", "--list", "--json")["exercises"]
        self.assertEqual([(e.kind, e.title) for e in m.exercises], [(e["kind"], e["title"]) for e in told])
        for i, e in enumerate(m.exercises):
            self.assertTrue(m.answer(i, e.key), e)
            self.assertFalse(m.answer(i, "no such thing"))


class Sheets(unittest.TestCase):
    def test_marks_are_the_command(self):
        m = longhand.open("ex1")
        sheet = json.loads(m.sheet(seed=7, form="json"))
        self.assertEqual(sheet, command("sheet", "ex1", "--seed", "7", "--format", "json"))
        key = json.loads(m.sheet(seed=7, form="json", key=True))
        filled = json.dumps({"lesson": "ex1", "seed": 7, "digits": key["digits"], "answers": key["answers"]})
        marks = m.mark(filled)
        self.assertTrue(marks)
        self.assertEqual(marks.credit, marks.total)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "answers.json")
            wrong = dict(key["answers"])
            wrong["Z"] = [["9", "9"], ["9", "9"]]
            text = json.dumps({"lesson": "ex1", "seed": 7, "digits": key["digits"], "answers": wrong})
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            mine, told = m.mark(text), command("mark", "ex1", path, "--json")["sheets"][0]
        self.assertFalse(mine)
        self.assertEqual(mine.data["steps"], told["steps"])
        self.assertEqual((mine.credit, mine.total), (told["credit"], told["total"]))
        self.assertEqual(longhand.mark("ex1", "P = 0.5018 0.4982; 0.4982 0.5018").credit, 4)
        self.assertEqual(longhand.mark("ex1", {"P": [["0.5018", "0.4982"], [None, "0.5018"]]}).credit, 3)
        with self.assertRaises(longhand.LonghandError):
            m.mark("sheet ex2, seed 7, digits 4\nZ = 1")
        self.assertIn("sheet ex1, seed 7", m.sheet(seed=7))
        with self.assertRaises(ValueError):
            m.sheet(form="pdf")


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "model")
        cls.seen = []
        cls.m = small()
        cls.m.learn(NOTES, steps=20, batch=4, threads=2, every=10, progress=cls.seen.append)
        cls.m.save(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.m.close()
        cls.folder.cleanup()

    def test_progress(self):
        self.assertEqual([p.step for p in self.seen], list(range(1, 21)))
        self.assertEqual(sum(not math.isnan(p.held_out) for p in self.seen), 2)
        self.assertLess(self.seen[-1].loss, self.seen[0].loss)
        self.assertEqual(small().learn(NOTES, steps=20, batch=4, progress=lambda p: p.step < 3), 3)

        if numpy:
            self.assertEqual(small().learn(NOTES, steps=20, batch=4, progress=lambda p: numpy.float64(p.step) < 3), 3)

        def fails(p):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            small().learn(NOTES, steps=20, batch=4, progress=fails)

    def test_what_is_called_back_looks_and_changes_nothing(self):
        m, other = small(), small()
        path = os.path.join(self.folder.name, "called_back")
        for each in (m, other):
            each.learn(NOTES, steps=2, batch=4)
        numbers = [list(row) for row in other["E"]]
        m.save(path)

        def fine():
            self.assertEqual(len(m["E"]), len(numbers))
            self.assertEqual(len(m.logits("the")), 3)
            m.save(path)
            other.learn(NOTES, steps=1, batch=4)
        changes = [lambda: m.set("rate", 0.1), lambda: m.train("E"), lambda: m.freeze("E"), m.restore, lambda: m.differentiate("loss"),
                   lambda: m.load_weights(path), lambda: m.learn(steps=1), lambda: m.learn(NOTES, steps=1), m.close,
                   lambda: m.__setitem__("E", numbers), m.reset]
        for change in changes:
            for run in (lambda f: m.learn(steps=1, progress=f), lambda f: m.generate("the", 2, token=f)):
                with self.assertRaisesRegex(longhand.LonghandError, "called back"):
                    run(lambda _: change())
        with self.assertRaisesRegex(longhand.LonghandError, "called back"):
            m.generate("the", 2, token=lambda _: m.generate("the", 2))
        said = []
        m.learn(steps=2, progress=lambda _: fine() or said.append(m.generate("the", 2)))
        self.assertEqual(len(said), 2)
        m.generate("the", 2, token=lambda _: fine())
        self.assertEqual(m.learn(steps=1), 1)
        closing = threading.Timer(0.05, m.close)  # it waits, as calls of several threads do
        closing.start()
        self.assertEqual(m.learn(steps=200), 200)
        closing.join()

    def test_what_is_frozen_keeps_the_numbers_of_its_file(self):
        m = longhand.program("vocab 4\nseed 4\ninput tokens : vocab*\ninput target : vocab*\ngenerate tokens from logits\n"
                             "param A : 4 x 4 = normal(1)\nparam E : vocab x 4 = normal(1)\n"
                             "logits = E[tokens] @ A @ E^T\nloss = average(mean(crossentropy(logits, target)))\n"
                             "backward loss\nA := A - 0.1 * dA\nE := E - 0.1 * dE\n")

        def rows(of, name):
            return [list(row) for row in of[name]]
        path = os.path.join(self.folder.name, "frozen")
        m.learn(NOTES, steps=5, batch=4)
        learned = rows(m, "A")
        m.save(path)
        m = longhand.load(path)
        m.freeze("A")
        self.assertEqual(rows(m, "A"), learned)
        m.learn(NOTES, steps=3, batch=4)
        self.assertEqual(rows(m, "A"), learned)
        self.assertNotEqual(rows(m, "E"), rows(longhand.load(path), "E"))
        m.save(path)
        self.assertEqual(rows(longhand.load(path), "A"), learned)

    def test_nobody_waits_for_a_held_out_loss_that_nobody_sees(self):
        m, seen, c = small(), [], longhand._program.c
        progress = c.PROGRESS

        def looks(heard):
            return progress(lambda who, now: seen.append(now.contents.held_out) or heard(who, now))
        with unittest.mock.patch.object(c, "PROGRESS", looks):
            m.learn(NOTES, steps=2, batch=4)
            self.assertTrue(all(math.isnan(x) for x in seen), seen)
            m.learn(steps=2, progress=lambda p: None)
        self.assertEqual([math.isnan(x) for x in seen], [True, True, True, False])

    def test_ctrl_c_is_heard_soon_and_nothing_is_lost(self):
        def late(*_):
            raise TimeoutError("late")
        before, hook = signal.signal(signal.SIGALRM, late), sys.unraisablehook
        m = small()
        m.learn(NOTES, steps=3, batch=4)
        for progress in (None, lambda p: None):
            for number, error in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGALRM, TimeoutError)):
                for run in (lambda: m.learn(NOTES, steps=10**8, batch=4, progress=progress),
                            lambda: m.generate("the ", 10**7, token=progress)):
                    timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
                    timer.start()
                    start = time.monotonic()
                    with self.assertRaises(error):
                        run()
                    timer.join()
                    self.assertLess(time.monotonic() - start, 20)
        signal.signal(signal.SIGALRM, before)
        self.assertIs(sys.unraisablehook, hook)
        learned = m["E[3][2]"]
        self.assertNotEqual(learned, small()["E[3][2]"])
        self.assertEqual(m.learn(steps=2), 2)
        self.assertNotEqual(m["E[3][2]"], learned)

    def test_layers_that_are_computed_again_change_no_bit(self):
        kept, again = small(), small()
        kept.learn(NOTES, steps=3, batch=4)
        again.learn(NOTES, steps=3, batch=4, recompute=True)
        self.assertEqual(kept["E[3][2]"], again["E[3][2]"])

    def test_loading(self):
        m = longhand.load(self.path)
        self.assertEqual(m["E[3][2]"], self.m["E[3][2]"])
        text = m.generate("the ", 20, seed=3)
        self.assertEqual(text, self.m.generate("the ", 20, seed=3))
        run = subprocess.run([PROGRAM, "sample", self.path, "-i", "the ", "-n", "20", "-s", "3"], capture_output=True, text=True,
                             check=True)
        self.assertEqual("the " + text + "\n", run.stdout)
        run = subprocess.run([PROGRAM, "sample", self.path, "-i", "the ", "-n", "20", "-t", "0"], capture_output=True, text=True, check=True)
        self.assertEqual("the " + m.generate("the ", 20, temperature=0, seed=5) + "\n", run.stdout)
        self.assertEqual(m.generate("the ", 20, greedy=True), m.generate("the ", 20, temperature=0))
        self.assertEqual(m.generate("the ", 20, temperature=3, top_k=1), m.generate("the ", 20, temperature=0))
        pieces = []
        m.generate("the", 5, token=pieces.append)
        self.assertEqual(len(pieces), 5)
        self.assertEqual(len(m.generate("the", 50, token=lambda t: False)), 1)
        self.assertIn("<table>", m._repr_html_())

    def test_looking(self):
        m = longhand.load(self.path)
        look, told = m.look("the cat"), command("look", self.path, "--prompt", "the cat", "--json")
        self.assertEqual(look.data, told)
        self.assertEqual(look.tokens, list("the cat"))
        self.assertEqual(m.tokens("the cat"), list("the cat"))
        self.assertIn("<svg", look._repr_html_())
        logits = m.logits("the cat")
        self.assertEqual(len(logits), 7)
        scores = [math.exp(x) for x in lists(logits)[-1]]
        self.assertAlmostEqual(max(scores) / sum(scores), look.next[0][1], 4)
        self.assertEqual(m.explain("logits[6][3]").data["lines"],
                         command("explain", self.path, "--prompt", "the cat", "logits[6][3]", "--json")["lines"])

    def test_weights(self):
        path = os.path.join(self.folder.name, "ex4.safetensors")
        m = longhand.open("ex4").step(5)
        m.save(path)
        self.assertEqual(lists(longhand.open("ex4").load_weights(path)["WO"]), lists(m["WO"]))


class Kernel:
    """What of a notebook's kernel the module looks at: which cell runs, and what is published."""

    kernel = True

    def __init__(self):
        self.published, self.runs, self.cell = [], 0, None
        self.display_pub = self

    def start(self, cell):
        self.cell, self.runs = cell, self.runs + 1

    def get_parent(self):
        return {"metadata": {"cellId": self.cell} if self.cell else {}, "header": {"msg_id": str(self.runs)}}

    def publish(self, data):
        self.published.append(data)


@unittest.skipIf(_alive.script() is None, "the library was built without the engine for pages")
class Alive(unittest.TestCase):
    """Outputs of a notebook that answer. tests/page/notebook.mjs touches them in a browser."""

    def setUp(self):
        self.kernel, self.was = Kernel(), (_alive._kernel, _alive._wanted, _alive._carrier, _alive._run, _alive._is_handed)
        _alive._kernel, _alive._wanted, _alive._carrier, _alive._run, _alive._is_handed = lambda: self.kernel, None, None, None, False

    def tearDown(self):
        _alive._kernel, _alive._wanted, _alive._carrier, _alive._run, _alive._is_handed = self.was

    def recipe(self, m):
        found = re.search(r'<longhand-output data-program="([^"]*)"', m._repr_html_())
        return json.loads(html.unescape(found.group(1))) if found else None

    def test_engine_once(self):
        m = longhand.open("ex1")
        for cell in ("a", "b", "b", "c"):
            self.kernel.start(cell)
            self.assertIn("<longhand-output", m._repr_html_())
            m.show("P")._repr_html_()
        self.assertEqual(len(self.kernel.published), 1)
        self.kernel.start("a")  # run again: what it had put out is gone
        m._repr_html_()
        m._repr_html_()
        self.assertEqual(len(self.kernel.published), 2)
        data = self.kernel.published[0]
        self.assertEqual(set(data), {"application/javascript", "text/plain"})  # nothing that Markdown or an untrusted notebook would show
        self.assertEqual(data["application/javascript"].count('longhandEngine("'), 1)
        self.assertNotIn("</script", data["application/javascript"])
        self.assertLess(len(data["application/javascript"]), 600000)

    def test_switch(self):
        m = longhand.open("ex1")
        self.kernel.start("a")
        longhand.alive(False)
        plain = m._repr_html_()
        self.assertNotIn("longhand-output", plain)
        self.assertNotIn("data-at", plain)
        self.assertIsNone(m.plot("heat P")._repr_html_())
        self.kernel.start("b")
        n = len(self.kernel.published)
        longhand.alive()
        self.assertEqual(len(self.kernel.published), n + 1)
        marked = re.sub(r"</?longhand-output[^>]*>| (class=\"matrix\"|data-(at|value|given)=\"[^\"]*\")", "", m._repr_html_())
        self.assertEqual(marked, plain)  # the same to the eye

    def test_no_notebook(self):
        self.kernel = None
        m = longhand.open("ex1")
        self.assertNotIn("longhand-output", m._repr_html_() + m.explain("P[1][0]")._repr_html_())
        self.assertEqual(str(m.show("P")), "P = softmax(Z)\n  0.501768  0.498232\n  0.498232  0.501768")

    def test_no_engine(self):
        script, _alive.script = _alive.script, lambda: None
        try:
            self.assertNotIn("longhand-output", longhand.open("ex1")._repr_html_())
            with self.assertRaises(longhand.LonghandError) as caught:
                longhand.alive()
            self.assertIn("clang", caught.exception.cure)
            longhand.alive(False)
        finally:
            _alive.script = script
        self.assertEqual(self.kernel.published, [])

    def test_recipe(self):
        m = longhand.open("ex2")
        self.assertEqual(self.recipe(m)["text"], m.text)
        m.set("rate", 1).set("rate", 2).step(3)
        self.assertEqual((self.recipe(m)["settings"], self.recipe(m)["step"]), ([["rate", "2"]], 3))
        m.reset()["WQ[0][1]"] = 0.5
        self.assertEqual(self.recipe(m)["settings"], [["rate", "2"], ["WQ", "[0.1 0.5; 0.0 0.1]"]])
        m.step(1)
        self.assertEqual(self.recipe(m)["step"], 1)
        m["WO"] = m["WO"]  # after an update: a page begins at the start
        self.assertIsNone(self.recipe(m))
        self.assertEqual(self.recipe(m.restore()), {"text": m.text, "settings": [], "step": 0})

    def test_beyond_a_page(self):
        for change in (lambda m: m.train("E"), lambda m: m.freeze("WQ"), lambda m: m.differentiate("P"), lambda m: m.hold("P"),
                       lambda m: m.training(False), lambda m: m.batch([0, 1]),
                       lambda m: m.rewrite("Z", "a / sqrt(cols(k)) => a")):
            m = longhand.open("ex4")
            self.assertIsNotNone(self.recipe(m))
            change(m)
            self.assertIsNone(self.recipe(m))
            self.assertIn("<table>", m._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "x.txt"), "w", encoding="utf-8") as file:
                file.write("1 2\n")
            m = longhand.program('const x = file("x.txt")\ny = 2 * x\n', folder=folder)
            self.assertIsNone(self.recipe(m))

    def test_addresses(self):
        """Each number has the address that the engine knows it by."""
        for name in ("ex1", "ex2", "ex4", "ex6", "attention"):
            m = longhand.open(name)
            m.step(2) if any(s.kind == "update" for s in m.steps) else m.run()
            shown = re.findall(r'<td data-at="([^"]*)"[^>]*>([^<]*)</td>', m._repr_html_())
            self.assertGreater(len(shown), 10)
            for at, text in shown[::7]:
                self.assertEqual(text, f"{m.value(html.unescape(at)):.6g}", f"{name} {at}")

    def test_hostile_text(self):
        m = longhand.program('# </longhand-output><script>alert("x")</script>\nx = 1 + 1  # <b>&\n')
        self.assertEqual(self.recipe(m)["text"], m.text)
        self.assertNotIn("<script", m._repr_html_())
        self.assertNotIn("<b>", m._repr_html_())


class Header(unittest.TestCase):
    """What ctypes is told is what include/longhand.h says."""

    def setUp(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "longhand.h")
        if not os.path.exists(path):
            self.skipTest("the header is not here")
        with open(path, encoding="utf-8") as file:
            self.text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)

    def test_functions(self):
        declared = set(re.findall(r"LH_API[^;(]*\blonghand_(\w+)\(", self.text))
        known = set(_library.FUNCTIONS) | {"version", "new", "free", "error", "clear_error", "lesson", "file"}
        self.assertEqual(declared, known)

    def test_arguments(self):
        for name, (_, arguments) in _library.FUNCTIONS.items():
            found = re.search(rf"\blonghand_{name}\(([^;]*)\);", self.text, re.S)
            self.assertEqual(found.group(1).count(","), len(arguments), name)

    def test_structs(self):
        names = {"message": "Message", "step": "Step", "size": "Size", "part": "Part", "line": "Line", "explanation": "Explanation",
                 "detail": "Detail", "amount": "Amount", "bill": "Bill", "plot_how": "PlotHow", "graph_how": "GraphHow",
                 "sheet_how": "SheetHow", "mark_how": "MarkHow", "marks": "Marks", "exercise": "Exercise", "answered": "Answered",
                 "progress": "Progress", "learn_how": "LearnHow", "look_how": "LookHow", "sample_how": "SampleHow",
                 "operand": "Operand", "rule": "Rule"}
        found = re.findall(r"typedef struct longhand_(\w+) \{(.*?)\}", self.text, re.S)
        self.assertEqual({name for name, _ in found}, set(names))
        for name, body in found:
            fields = []
            for declaration in body.split(";"):
                call = re.search(r"\(\*(\w+)\)\(", declaration)
                fields += [call.group(1)] if call else [w for part in declaration.split(",") for w in re.findall(r"(\w+)\s*$", part)]
            self.assertEqual([f for f, *_ in getattr(_library, names[name])._fields_], fields, name)


class WithoutNumPy(unittest.TestCase):
    def test_lists(self):
        code = ("import sys; sys.modules['numpy'] = None; import longhand; m = longhand.open('ex1'); m['WQ'] = [[1, 2], [3, 4]]; "
                "m.run(); assert m['WQ'] == [[1, 2], [3, 4]]; assert isinstance(m['P'], list); print(m['P'][1][0])")
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                             env={**os.environ, "PYTHONPATH": folder})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(float(run.stdout), 0)


if __name__ == "__main__":
    unittest.main()
