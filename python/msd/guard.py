"""Thread safety of worlds (one thread at a time), and callbacks of a frame."""

import os
import threading
import weakref

from .errors import Locked, Result, check
from .structs import ffi, lib, record

NAMES = ("before_step", "after_step", "before_substep", "after_substep", "spring_torn", "contact_begin",
         "contact_end")

_guards = weakref.WeakSet()


class Guard:
    """Lets one thread at a time use a world of C, and raises Locked in others while it steps.

    `with guard as world:` gives the pointer. Calls of other threads wait for each other, because they are
    short; during a frame they raise Locked. Inside a callback its thread may read the world.
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
        self.beside = ()  # guards of the worlds stepped by the same call
        self.entered = threading.local()
        self.handle = ffi.new_handle(weakref.ref(self))  # context of the callbacks
        _guards.add(self)

    def __enter__(self):
        if self.called != threading.get_ident():
            if not self.lock.acquire(blocking=False):
                if self.is_stepping:
                    raise Locked(Result.LOCKED,
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
            return Locked(Result.LOCKED,
                          "another thread was stepping the world when this process was forked; it cannot be "
                          "used here")
        return ValueError("the world has been closed") if self.pointer is None else None

    def __exit__(self, *_):
        if self.entered.stack.pop():
            self.lock.release()

    def begin_step(self):
        """Called within `with`. The engine detects nested calls of step."""
        was = self.is_stepping
        self.is_stepping = True
        return was

    def end_step(self, was):
        """Raises what a callback has raised."""
        self.is_stepping = was
        if not was and self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised

    def install(self, pointer):
        """Sets the callbacks of a world. `stop` is always among them, because it handles Ctrl-C."""
        callbacks = ffi.new("msd_callbacks *")
        callbacks.context = self.handle
        callbacks.stop = lib.msdpy_stop
        for name, function in self.functions.items():
            if function is not None:
                setattr(callbacks, name, getattr(lib, "msdpy_" + name))
        check(lib.msd_world_set_callbacks(pointer, callbacks))


def _after_fork():
    """The thread that owned a lock does not exist in the child process."""
    for guard in list(_guards):
        guard.is_lost = guard.is_lost or guard.is_stepping and guard.called != threading.get_ident()
        guard.lock = threading.RLock()
        guard.entered = threading.local()


os.register_at_fork(after_in_child=_after_fork)


def _call(context, name, arguments, answer=lambda value: None):
    """Calls a function of the user during a frame; answer() receives its result."""
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
        result = function(*arguments(guard.owner()))
        answer(result)
        return bool(result)
    except BaseException as raised:  # raised again after the frame, which ends early
        guard.raised = raised
        return True
    finally:
        guard.called = before


def _raised(kind, raised, trace):
    """Stores exceptions raised before or after the user function: Ctrl-C can occur at any line."""
    guard = ffi.from_handle(trace.tb_frame.f_locals["context"])()
    if guard is not None and guard.raised is None:
        guard.raised = raised


# Python handles signals between two lines of code; this is such a place during a long frame.
@ffi.def_extern(error=True, onerror=_raised)
def msdpy_stop(context):
    return _call(context, "stop", lambda world: (world,))


def _substep(name):
    def callback(world, info, context):
        _call(context, name, lambda owner: (owner, record(info)))

    ffi.def_extern(name="msdpy_" + name, onerror=_raised)(callback)


def _contact(name):
    def callback(world, event, context):
        _call(context, name, lambda owner: (owner, record(event)))

    ffi.def_extern(name="msdpy_" + name, onerror=_raised)(callback)


for _name in NAMES[:4]:
    _substep(_name)
for _name in NAMES[5:]:
    _contact(_name)


@ffi.def_extern(error=False, onerror=_raised)
def msdpy_equilibrium_progress(progress, context):
    guard = ffi.from_handle(context)()
    if guard is None or guard.raised is not None:
        return False
    if guard.functions.get("progress") is None:
        return True
    answers = []
    _call(context, "progress", lambda owner: (owner, record(progress)), answers.append)
    return guard.raised is None and answers != [False]


@ffi.def_extern(onerror=_raised)
def msdpy_spring_torn(world, spring, context):
    _call(context, "spring_torn", lambda owner: (owner, spring))
