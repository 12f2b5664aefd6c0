"""One world belongs to one thread at a time; and what a step calls."""

import os
import threading
import weakref

from .errors import Busy, Result, check
from .structs import ffi, lib, record

NAMES = ("before_step", "after_step", "before_substep", "after_substep", "spring_torn", "contact_begin",
         "contact_end")

_guards = weakref.WeakSet()


class Guard:
    """Lets one thread at a time use a world of C, and says so to others while it steps.

    `with guard as world:` gives the pointer. Calls of other threads wait for each other, for they are short; in
    the course of a step they raise Busy. Within a callback the thread that is called may read.
    """

    def __init__(self, pointer):
        self.pointer = pointer
        self.lock = threading.RLock()
        self.is_stepping = False
        self.is_lost = False
        self.called = None
        self.functions = {}
        self.user_stop = None
        self.raised = None
        self.beside = ()  # the guards of the worlds that are stepped in the same call
        self.entered = threading.local()
        self.handle = ffi.new_handle(weakref.ref(self))  # the context of the callbacks
        _guards.add(self)

    def __enter__(self):
        if self.called != threading.get_ident():
            if not self.lock.acquire(blocking=False):
                if self.is_stepping:
                    raise Busy(Result.BUSY,
                               "another thread steps the world; until it is done, the world can only be "
                               "used by its callbacks")
                self.lock.acquire()
            self._remember(True)
        else:
            self._remember(False)
        problem = self._problem()
        if problem is not None:
            self.__exit__()
            raise problem
        return self.pointer

    def _remember(self, is_locked):
        stack = getattr(self.entered, "stack", None)
        if stack is None:
            stack = self.entered.stack = []
        stack.append(is_locked)

    def _problem(self):
        if self.is_lost:
            return Busy(Result.BUSY,
                        "another thread was stepping the world when this process was forked; it cannot be "
                        "used here")
        return ValueError("the world has been closed") if self.pointer is None else None

    def __exit__(self, *_):
        if self.entered.stack.pop():
            self.lock.release()

    def begin_step(self):
        """Behind `with`: whether the step is one within another is for the engine to say."""
        was = self.is_stepping
        self.is_stepping = True
        return was

    def end_step(self, was):
        """What a callback has raised goes on here."""
        self.is_stepping = was
        if not was and self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised

    def install(self, pointer):
        """Tells a world which of the functions to call. `stop` is always among them: it is where Ctrl-C is
        heard."""
        callbacks = ffi.new("msd_callbacks *")
        callbacks.context = self.handle
        callbacks.stop = lib.msdpy_stop
        for name, function in self.functions.items():
            if function is not None:
                setattr(callbacks, name, getattr(lib, "msdpy_" + name))
        check(lib.msd_world_set_callbacks(pointer, callbacks))


def _after_fork():
    """The thread that held a lock is not in the child."""
    for guard in list(_guards):
        guard.is_lost = guard.is_lost or guard.is_stepping and guard.called != threading.get_ident()
        guard.lock = threading.RLock()
        guard.entered = threading.local()


os.register_at_fork(after_in_child=_after_fork)


def _call(context, name, tell, answer=lambda value: None):
    """Calls a function of the user in the course of a step; answer() is given what it answers."""
    guard = ffi.from_handle(context)()
    if guard is None or guard.raised is not None:
        return True
    if any(isinstance(other.raised, KeyboardInterrupt) for other in guard.beside):
        return True
    function = guard.functions.get(name) if name != "stop" else guard.user_stop
    if function is None and name != "stop":
        return False
    before, guard.called = guard.called, threading.get_ident()
    try:
        if function is None:
            return False
        told = function(*tell(guard.owner()))
        answer(told)
        return bool(told)
    except BaseException as raised:  # goes on behind the step, which ends early
        guard.raised = raised
        return True
    finally:
        guard.called = before


def _raised(kind, raised, trace):
    """What is raised before a function of the user has begun, or behind it: Ctrl-C may come at any line."""
    guard = ffi.from_handle(trace.tb_frame.f_locals["context"])()
    if guard is not None and guard.raised is None:
        guard.raised = raised


# Signals are heard between two lines of Python; here is where, in a long step.
@ffi.def_extern(error=True, onerror=_raised)
def msdpy_stop(context):
    return _call(context, "stop", lambda world: (world,))


def _moment(name):
    def told(world, moment, context):
        _call(context, name, lambda owner: (owner, record(moment)))

    ffi.def_extern(name="msdpy_" + name, onerror=_raised)(told)


def _touch(name):
    def told(world, touch, context):
        _call(context, name, lambda owner: (owner, record(touch)))

    ffi.def_extern(name="msdpy_" + name, onerror=_raised)(told)


for _name in NAMES[:4]:
    _moment(_name)
for _name in NAMES[5:]:
    _touch(_name)


@ffi.def_extern(error=False, onerror=_raised)
def msdpy_rest_told(progress, context):
    guard = ffi.from_handle(context)()
    if guard is None or guard.raised is not None:
        return False
    if guard.functions.get("told") is None:
        return True
    answers = []
    _call(context, "told", lambda owner: (owner, record(progress)), answers.append)
    return guard.raised is None and answers != [False]


@ffi.def_extern(onerror=_raised)
def msdpy_spring_torn(world, spring, context):
    _call(context, "spring_torn", lambda owner: (owner, spring))
