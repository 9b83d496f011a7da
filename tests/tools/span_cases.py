#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One case of the model: builds the trace files that a text describes, and compares what span_dump makes of them.

Usage: span_cases.py [--restore N] [--keep PREFIX] SPAN_DUMP CASE.txt

Lines of a case:

    # ...                              why the result is what it is
    FILE [clock=mono] [release=R] [version=6] [compress=zstd] [retval] [KEY=VALUE...]
                                       begins the next file (the first one needs no line); retval: funcgraph_exit has
                                       it; KEY: a line of ftr's own, of META_KEYS; in a list of pids there are commas
    BUFFER NAME                        the records behind it are of this instance; '-': the top one
    CPU TIME PID FLAGS EVENT FIELD=VALUE ...
                                       a record. FLAGS: common_flags in hex, or h (hard irq), s (soft irq), n (NMI), '.'
    lost CPU N                         N events are missing before the next record of this CPU; ?: nobody knows how many
    oops TEXT                          the next line of the file's text of an oops
    args ...                           of span_dump
    => span|state|delay|cpu ...        a line of the dump; their order means nothing
    $ ftr ARGS...                      a command, run where the files of the case are f0.dat, f1.dat, ...; these are
                                       appended but where ARGS name one of them. The program is that of the
                                       environment's FTR
    | TEXT                             the next line of its standard output; blanks at the end of a line do not count
    $! TEXT                            the next line of its standard error; none is wanted without
    $? STATUS                          its exit status if not 0

A case with commands and no line of the dump says nothing of the dump.

A VALUE is a number, a text, a function of the file with or without +OFFSET, of prev_state its letters, of a stack's
caller such values by comma. In buf of print %XX is a byte; str and fmt are texts of the kernel. What a record leaves
out is 0 or empty; prev_pid is the task of the record. A span may leave out what is usual: self=dur, irq=0, off=-,
parent=-, depth=0, marks=- (which is the last one); cpu=N is cpu=N>N.
'?' is any value: of where a span without a begin began. A retval and how often a state was unknown count only where
the case says so: the rules do not tell. The same holds for lines of CPUs in a case without any sched_switch and
"=> cpu" line.
"""
import collections
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from types import SimpleNamespace
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import mkdat                            # noqa: E402

PAGE = 4096
META_KEYS = "options", "set_event_pid", "set_event_notrace_pid", "event-fork", "tracing_cpumask"
DELTA_MAX = (1 << 27) - 1
STATES = {"R": 0, "S": 1, "D": 2, "T": 4, "t": 8, "X": 16, "Z": 32, "P": 64, "I": 128, "R+": 256}
FLAGS = {".": 0, "h": 0x08, "s": 0x10, "n": 0x40}


# --- formats, as those of Linux 6.12 on x86-64 but for the numbers of events

def ulong(name):
    return ("unsigned long", name, 8, 0)


def integer(name, ctype="int"):
    return (ctype, name, 4, 1)


def comm(name):
    return ("char", name + "[16]", 16, 0)


def pointer(name):
    return ("void *", name, 8, 0)


PID, SYSCALL_NR, LOC = integer("pid", "pid_t"), integer("__syscall_nr"), "__data_loc char[]"
BITS = "0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040"
ABOVE = "(((%s) + 1) << 1)" % BITS
SWITCH_FMT = (
    '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", '
    'REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & (' + ABOVE + ' - 1)) ? '
    '__print_flags(REC->prev_state & (' + ABOVE + ' - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D" }, '
    '{ 0x00000004, "T" }, { 0x00000008, "t" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, '
    '{ 0x00000040, "P" }, { 0x00000080, "I" }) : "R", REC->prev_state & ' + ABOVE +
    ' ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio')
WAKE = ([comm("comm"), PID, integer("prio"), integer("target_cpu")],
        '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu')
SOFTIRQ = ([("unsigned int", "vec", 4, 0)], '"vec=%u", REC->vec')
VECTOR = ([integer("vector")], '"vector=%d", REC->vector')
WORK = ([pointer("work"), pointer("function")], '"work struct %p: function %ps", REC->work, REC->function')
TIMES = [("unsigned long long", "calltime", 8, 0), ("unsigned long long", "rettime", 8, 0)]
OVERRUN = ("unsigned int", "overrun", 4, 0)
SECTORS = [("dev_t", "dev", 4, 0), ("sector_t", "sector", 8, 0), ("unsigned int", "nr_sector", 4, 0)]
RWBS = [("unsigned short", "ioprio", 2, 0), ("char", "rwbs[8]", 8, 0)]
BLOCK_FMT = '"%u %s %llu + %u", REC->dev, REC->rwbs, (unsigned long long)REC->sector, REC->nr_sector'
PROBE = ([ulong("__probe_ip")], '"(%lx)", REC->__probe_ip')
RETURN = ([ulong("__probe_func"), ulong("__probe_ret_ip")], '"(%lx <- %lx)", REC->__probe_func, REC->__probe_ret_ip')
NR_EXIT = [SYSCALL_NR, ("long", "ret", 8, 1)]

EVENTS = {
    "ftrace": {
        "funcgraph_entry": ([ulong("func"), integer("depth")],
                            '"--> %ps (%d)", (void *)REC->func, REC->depth'),
        "fgraph_retaddr_entry": ([ulong("func"), integer("depth"), ulong("retaddr")],
                                 '"--> %ps (%d) <- %ps", (void *)REC->func, REC->depth, (void *)REC->retaddr'),
        "funcgraph_exit": ([ulong("func"), integer("depth"), OVERRUN] + TIMES,
                           '"<-- %ps (%d) (start: %llx  end: %llx) over: %d", (void *)REC->func, REC->depth, '
                           'REC->calltime, REC->rettime, REC->depth'),
        "kernel_stack": ([integer("size"), ("unsigned long", "caller[8]", 64, 0)],
                         '"\\t=> %ps\\n", (void *)REC->caller[0]'),
        "user_stack": ([("unsigned int", "tgid", 4, 0), ("unsigned long", "caller[8]", 64, 0)],
                       '"\\t=> %ps\\n", (void *)REC->caller[0]'),
        "print": ([ulong("ip"), ("char", "buf[]", 0, 0)], '"%ps: %s", (void *)REC->ip, REC->buf'),
        "bputs": ([ulong("ip"), ("const char *", "str", 8, 0)], '"%ps: %s", (void *)REC->ip, REC->str'),
        "bprint": ([ulong("ip"), ("const char *", "fmt", 8, 0), ("u32", "buf[]", 0, 0)],
                   '"%ps: %s", (void *)REC->ip, REC->fmt'),
    },
    "sched": {
        "sched_switch": ([comm("prev_comm"), integer("prev_pid", "pid_t"), integer("prev_prio"),
                          ("long", "prev_state", 8, 1), comm("next_comm"), integer("next_pid", "pid_t"),
                          integer("next_prio")], SWITCH_FMT),
        "sched_waking": WAKE, "sched_wakeup": WAKE, "sched_wakeup_new": WAKE,
        "sched_migrate_task": ([comm("comm"), PID, integer("prio"), integer("orig_cpu"), integer("dest_cpu")],
                               '"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", REC->comm, REC->pid, REC->prio, '
                               'REC->orig_cpu, REC->dest_cpu'),
        "sched_process_fork": ([comm("parent_comm"), integer("parent_pid", "pid_t"), comm("child_comm"),
                                integer("child_pid", "pid_t")],
                               '"comm=%s pid=%d child_comm=%s child_pid=%d", REC->parent_comm, REC->parent_pid, '
                               'REC->child_comm, REC->child_pid'),
        "sched_process_exec": ([(LOC, "filename", 4, 0), PID, integer("old_pid", "pid_t")],
                               '"filename=%s pid=%d old_pid=%d", __get_str(filename), REC->pid, REC->old_pid'),
        "sched_process_exit": ([comm("comm"), PID, integer("prio")],
                               '"comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio'),
    },
    "task": {
        "task_rename": ([PID, comm("oldcomm"), comm("newcomm"), ("short", "oom_score_adj", 2, 1)],
                        '"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd", REC->pid, REC->oldcomm, REC->newcomm, '
                        'REC->oom_score_adj'),
    },
    "raw_syscalls": {
        "sys_enter": ([("long", "id", 8, 1), ("unsigned long", "args[6]", 48, 0)], '"NR %ld", REC->id'),
        "sys_exit": ([("long", "id", 8, 1), ("long", "ret", 8, 1)], '"NR %ld = %ld", REC->id, REC->ret'),
    },
    "syscalls": {
        "sys_enter_read":
        ([SYSCALL_NR, ("unsigned int", "fd", 8, 0), ("char *", "buf", 8, 0), ("size_t", "count", 8, 0)],
                           '"fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx", ((unsigned long)(REC->fd)), '
                           '((unsigned long)(REC->buf)), ((unsigned long)(REC->count))'),
        "sys_exit_read": (NR_EXIT, '"0x%lx", REC->ret'),
    },
    "irq": {
        "irq_handler_entry": ([integer("irq"), (LOC, "name", 4, 0)], '"irq=%d name=%s", REC->irq, __get_str(name)'),
        "irq_handler_exit": ([integer("irq"), integer("ret")],
                             '"irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled"'),
        "softirq_entry": SOFTIRQ, "softirq_exit": SOFTIRQ,
    },
    "timer": {
        "hrtimer_expire_entry": ([pointer("hrtimer"), ("s64", "now", 8, 1), pointer("function")],
                                 '"hrtimer=%p function=%ps now=%llu", REC->hrtimer, REC->function, REC->now'),
        "hrtimer_expire_exit": ([pointer("hrtimer")], '"hrtimer=%p", REC->hrtimer'),
        "timer_expire_entry": ([pointer("timer"), pointer("function")], '"timer=%p function=%ps", REC->timer, '
                               'REC->function'),
        "timer_expire_exit": ([pointer("timer")], '"timer=%p", REC->timer'),
    },
    "power": {
        "cpu_idle": ([("u32", "state", 4, 0), ("u32", "cpu_id", 4, 0)],
                     '"state=%lu cpu_id=%lu", (unsigned long)REC->state, (unsigned long)REC->cpu_id'),
        "cpu_frequency": ([("u32", "state", 4, 0), ("u32", "cpu_id", 4, 0)],
                          '"state=%lu cpu_id=%lu", (unsigned long)REC->state, (unsigned long)REC->cpu_id'),
    },
    "workqueue": {"workqueue_execute_start": WORK, "workqueue_execute_end": WORK, "workqueue_queue_work": WORK},
    "irq_vectors": {"local_timer_entry": VECTOR, "local_timer_exit": VECTOR, "call_function_single_entry": VECTOR,
                    "call_function_single_exit": VECTOR},
    "signal": {"signal_generate": ([integer("sig"), comm("comm"), PID], '"sig=%d comm=%s pid=%d", REC->sig, REC->comm, '
                                   'REC->pid')},
    "exceptions": {"page_fault_user": ([ulong("address"), ulong("ip")], '"address=%lx ip=%lx", REC->address, REC->ip')},
    "lock": {
        "contention_begin": ([pointer("lock_addr"), ("unsigned int", "flags", 4, 0)],
                             '"%p (flags=%u)", REC->lock_addr, REC->flags'),
        "contention_end": ([pointer("lock_addr"), integer("ret")], '"%p (ret=%d)", REC->lock_addr, REC->ret'),
    },
    "block": {
        "block_rq_issue": (SECTORS + [("unsigned int", "bytes", 4, 0)] + RWBS + [comm("comm"), (LOC, "cmd", 4, 0)],
                           BLOCK_FMT),
        "block_rq_complete": (SECTORS + [integer("error")] + RWBS + [(LOC, "cmd", 4, 0)], BLOCK_FMT),
        "block_rq_requeue": (SECTORS + RWBS + [(LOC, "cmd", 4, 0)], BLOCK_FMT),
    },
    "dpu": {"dpu_mark": ([("char", "type", 1, 0), PID, (LOC, "name", 4, 0), integer("value")],
                         '"%c|%d|%s|%d", REC->type, REC->pid, __get_str(name), REC->value')},
    "mdss": {"mdss_mark": ([PID, (LOC, "trace_name", 4, 0), ("bool", "trace_begin", 1, 0)],
                           '"%s|%d|%s", REC->trace_begin ? "B" : "E", REC->pid, __get_str(trace_name)')},
    "lwis": {"lwis_mark": ([("char", "lwis_name[32]", 32, 0), ("char", "type", 1, 0), PID, (LOC, "func_name", 4, 0),
                            ("int64_t", "value", 8, 1)],
                           '"%c|%d|lwis-%s:%s|%lld", REC->type, REC->pid, REC->lwis_name, __get_str(func_name), '
                           'REC->value')},
    "samsung": {"samsung_mark": ([PID, (LOC, "trace_name", 4, 0), ("unsigned int", "trace_type", 4, 0),
                                  integer("value")],
                                 '"%c|%d|%s|%d", REC->trace_type, REC->pid, __get_str(trace_name), REC->value')},
    "text": {"text_mark": ([(LOC, "text", 4, 0)], '"%s", __get_str(text)')},
    "drv": {"drv_func": ([PID, ("char", "name[16]", 16, 1), ("bool", "isbegin", 1, 0)],
                         '"%s|%d|%s", REC->isbegin ? "B" : "E", REC->pid, REC->name'),
            "drv_fps": ([PID, (LOC, "name", 4, 0), ("long long", "value", 8, 1)],
                        '"C|%d|%s|%lld", REC->pid, __get_str(name), REC->value')},
    "ours": {"ours_mark": ([integer("begin")], '"%d", REC->begin')},
    "kprobes": {"p_vfs_read": PROBE, "r_vfs_read": RETURN},
    "uprobes": {"u_main": PROBE, "ur_main": RETURN},
    "demo": {"demo_start": ([integer("tag"), integer("len")], '"tag=%d len=%d", REC->tag, REC->len'),
             "demo_done": ([integer("cookie")], '"cookie=%d", REC->cookie')},
    "kmem": {
        "kmem_cache_alloc": ([ulong("call_site"), pointer("ptr"), ("size_t", "bytes_req", 8, 0),
                              ("size_t", "bytes_alloc", 8, 0), ulong("gfp_flags"), integer("node"),
                              ("bool", "accounted", 1, 0)],
                             '"call_site=%pS ptr=%p node=%d", (void *)REC->call_site, REC->ptr, REC->node'),
        "kmem_cache_free": ([ulong("call_site"), pointer("ptr"), (LOC, "name", 4, 0)],
                            '"call_site=%pS ptr=%p name=%s", (void *)REC->call_site, REC->ptr, __get_str(name)'),
        "kfree": ([ulong("call_site"), pointer("ptr")], '"call_site=%pS ptr=%p", (void *)REC->call_site, REC->ptr'),
    },
}
RETVAL_EXIT = ([ulong("func"), ulong("retval"), integer("depth"), OVERRUN] + TIMES,
               '"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx", (void *)REC->func, REC->depth, '
               'REC->calltime, REC->rettime, REC->depth, REC->retval')


def place_as_compiled(fields, place=mkdat.place):
    """struct fgraph_retaddr_ent is packed, include/linux/ftrace.h: nothing lies between its members."""
    out, size = place(fields)
    if out[-1][1] == "retaddr":
        ctype, name, offset, width, signed = out[-1]
        out[-1] = ctype, name, offset - 4, width, signed
        size -= 4
    return out, size


class Writer(mkdat.Writer):
    def of_system(self, system):
        return self.m.u32(len(EVENTS[system])) + b"".join(map(self.one_format, EVENTS[system]))

    def ftrace_events(self):
        return self.of_system("ftrace")

    def event_formats(self):
        systems = [s for s in EVENTS if s != "ftrace"]
        return self.m.u32(len(systems)) + b"".join(s.encode() + b"\0" + self.of_system(s) for s in systems)


# --- records to bytes

class Pages:
    """Of one CPU: a page begins anew behind a loss."""

    def __init__(self, machine):
        self.m, self.pages, self.lost = machine, [], None
        self.data = None

    def head(self, kind, delta):
        return self.m.u32(delta << 5 | kind)

    def add(self, ts, payload):
        if self.data is None or len(self.data) + len(payload) + 12 > PAGE - 32:
            self.close()
            self.data, self.start, self.ts = b"", ts, ts
        delta = ts - self.ts
        assert delta >= 0, "times of a CPU go down"
        if delta > DELTA_MAX:
            self.data += self.head(30, delta & DELTA_MAX) + self.m.u32(delta >> 27)
            delta = 0
        words = len(payload) // 4
        self.data += self.head(words, delta) if words <= 28 else self.head(0, delta) + self.m.u32(len(payload) + 4)
        self.data += payload
        self.ts = ts

    def lose(self, count):
        self.close()
        self.lost = count

    def close(self):
        if self.data is None:
            return
        commit, after = len(self.data), b""
        if self.lost is not None:
            commit |= 1 << 31
            if self.lost:
                commit |= 1 << 30
                after = self.m.ulong(self.lost)
            self.lost = None
        self.pages.append((self.m.u64(self.start) + self.m.ulong(commit) + self.data + after).ljust(PAGE, b"\0"))
        self.data = None


class File:
    def __init__(self, words):
        self.options = dict(w.partition("=")[::2] for w in words)
        self.m = mkdat.Machine("le", 8)
        self.m.layouts = {name: row for rows in EVENTS.values() for name, row in rows.items()}
        if "retval" in self.options:
            self.m.layouts["funcgraph_exit"] = RETVAL_EXIT
        self.buffers = {"": {}}
        self.oops = b""
        self.current = self.buffers[""]

    def pages(self, cpu):
        return self.current.setdefault(cpu, Pages(self.m))

    def value(self, name, text):
        if name == "prev_state" and not text[0].isdigit():
            return sum(STATES[letter] for letter in text.split("|"))
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
            return int(text, 0)
        func, _, offset = text.partition("+")
        return self.m.func(mkdat.FUNCS.index(func)) + int(offset or "0", 0)

    def printk(self, text):
        """The address of a text of the kernel."""
        if text not in mkdat.PRINTK:
            mkdat.PRINTK.append(text)
        return self.m.printk(mkdat.PRINTK.index(text))

    def record(self, cpu, ts, pid, flags, event, fields):
        layout = self.m.layouts[event][0]
        values, tail = {}, b""
        placed, size = mkdat.place(mkdat.COMMON + layout)
        end = -(-size // 4) * 4
        texts = dict(f.split("=", 1) for f in fields)
        if event == "sched_switch":
            texts.setdefault("prev_pid", str(pid))
            for who in "prev", "next":
                texts.setdefault(who + "_comm", "t" + texts[who + "_pid"])
        for ctype, field, _, _, _ in placed[len(mkdat.COMMON):]:
            name = field.split("[")[0]
            if name not in texts and ctype != LOC:
                continue
            text = texts.pop(name, "")
            if field == "caller[8]":
                values[name] = b"".join(self.m.ulong(self.value(name, one)) for one in text.split(",") if one)
            elif ctype == LOC:
                values[name] = (len(text) + 1) << 16 | end + len(tail)
                tail += text.encode() + b"\0"
            elif field == "buf[]":      # of print; as a program writes it
                tail += urllib.parse.unquote_to_bytes(text) + b"\0"
            elif name in ("str", "fmt"):
                values[name] = self.printk(text)
            elif ctype == "char" and field == name:
                values[name] = ord(text)
            elif ctype == "char":
                values[name] = text.encode()
            else:
                values[name] = self.value(name, text)
        assert not texts, "no field of %s: %s" % (event, ", ".join(texts))
        payload = self.m.payload(event, pid, values, tail, FLAGS[flags] if flags in FLAGS else int(flags, 16))
        if event == "kernel_stack":     # is as long as its stack
            payload = payload[:16 + len(values.get("caller", b""))]
        self.pages(cpu).add(ts, payload)

    def write(self, path):
        options = self.options
        args = SimpleNamespace(version=int(options.get("version", 7)), compress=options.get("compress", "none"),
                               page_size=PAGE, clock=options.get("clock", "local"),
                               ts_offset=0, date=0, unknown_options=0, short_sizes=False,
                               sections=[(0xf708, self.m.u32(len(self.oops)) + self.oops)] if self.oops else [],
                               release=options.get("release", "6.12.0-test"),
                               meta=["%s=%s" % (key, options[key].replace(",", " ") if "pid" in key else options[key])
                                     for key in META_KEYS if key in options])
        buffers = []
        for name, cpus in self.buffers.items():
            buf = mkdat.Buffer(name, PAGE)
            for cpu in range(max(cpus, default=0) + 1):
                pages = cpus.get(cpu, Pages(self.m))
                pages.close()
                buf.cpus.append(pages.pages)
            buffers.append(buf)
        with open(path, "wb") as stream:
            stream.write(Writer(self.m, buffers, args).write())


# --- a case

class Command:
    """A line "$ ftr ARGS..." and what it has to print."""

    def __init__(self, line):
        self.line, self.stdout, self.stderr, self.status = line, [], [], 0
        self.words = shlex.split(line)[1:]
        assert self.words[0] == "ftr", "no command of ftr"

    def differences(self, folder, names):
        if not any(name in word for name in names for word in self.words):
            self.words += names
        env = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC")
        run = subprocess.run([os.path.abspath(os.environ["FTR"])] + self.words[1:], capture_output=True,
                             cwd=folder, env=env, encoding="utf-8", errors="surrogateescape", timeout=60)
        out = []
        for what, wanted, text in (("|", self.stdout, run.stdout), ("$!", self.stderr, run.stderr)):
            got = [line.rstrip() for line in text.split("\n")[:-1]]
            if got != wanted or text[-1:] not in ("", "\n"):
                out += [mark + what + " " + line for mark, lines in (("wanted: ", wanted), ("got:    ", got))
                        for line in lines]
        if run.returncode != self.status:
            out.append("wanted: $? %d, got: %d" % (self.status, run.returncode))
        return [self.line] + out if out else []


class Case:
    def __init__(self, path):
        self.files, self.args, self.wanted, self.has_switch = [], [], [], False
        self.commands = []
        with open(path, encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    self.take(line.strip())
                except Exception as error:
                    raise SystemExit("%s:%d: %s: %s" % (path, number, type(error).__name__, error))

    def file(self):
        if not self.files:
            self.files.append(File([]))
        return self.files[-1]

    def take(self, line):
        words = line.split()
        if not words or words[0].startswith("#"):
            return
        if words[0] == "FILE":
            self.files.append(File(words[1:]))
        elif words[0] == "BUFFER":
            self.file().current = self.file().buffers.setdefault("" if words[1] == "-" else words[1], {})
        elif words[0] == "lost":
            self.file().pages(int(words[1])).lose(0 if words[2] == "?" else int(words[2]))
        elif words[0] == "oops":
            self.file().oops += line[5:].rstrip("\n").encode() + b"\n"
        elif words[0] == "args":
            self.args += words[1:]
        elif words[0] == "=>":
            self.wanted.append(line[2:].strip())
        elif words[0] == "$":
            self.commands.append(Command(line))
        elif words[0] == "|":
            self.commands[-1].stdout.append(line[2:])
        elif words[0] == "$!":
            self.commands[-1].stderr.append(line[3:])
        elif words[0] == "$?":
            self.commands[-1].status = int(words[1])
        else:
            cpu, ts, pid, flags, event, *fields = words
            self.has_switch |= event == "sched_switch"
            self.file().record(int(cpu), int(ts), int(pid), flags, event, fields)


def parse_line(line):
    """(kind of line, what it is of, {key: value})"""
    place, _, rest = line.rpartition(": ") if line.startswith("file") else ("", "", line)
    rest, has_marks, marks = rest.partition(" marks=")
    words = rest.split()
    keys = dict(w.split("=", 1) for w in words if re.match(r"[a-z]+=", w))
    if has_marks:
        keys["marks"] = marks
    return " ".join([place] + [w for w in words if not re.match(r"[a-z]+=", w)]).strip(), keys


def whole_line(line):
    """As the dump has it; what is usual is filled in."""
    what, keys = parse_line(line)
    if re.match(r"(file\d+ )?span ", what):
        keys = dict({"irq": "0", "off": "-", "parent": "-", "depth": "0", "marks": "-"}, **keys)
        keys.setdefault("self", keys.get("dur", "?"))
        if ">" not in keys.get("cpu", ">"):
            keys["cpu"] += ">" + keys["cpu"]
    return what, keys


def is_value(wanted, got):
    return wanted in ("?", got) or (wanted.startswith("?>") and wanted[1:] == got[got.find(">"):])


def fits(wanted, got):
    (what, keys), (got_what, got_keys) = wanted, got
    free = {"retval"} | ({"count"} if re.search(r"state \S+ unknown$", what) else set())
    return what == got_what and all(
        is_value(keys.get(k, "?" if k in free else "-"), got_keys.get(k, "-")) for k in set(keys) | set(got_keys))


def text_of(row):
    return " ".join([row[0]] + ["%s=%s" % item for item in row[1].items()])


def differences(case, output):
    wanted = [whole_line(line) for line in case.wanted]
    got = [parse_line(line) for line in output.splitlines()]
    if not case.has_switch and not any("cpu " in what[:11] for what, _ in wanted):
        got = [row for row in got if not re.match(r"(file\d+ )?cpu ", row[0])]
    missing = []
    for row in wanted:
        found = next((g for g in got if fits(row, g)), None)
        if found:
            got.remove(found)
        else:
            missing.append(row)
    return ["wanted: " + text_of(row) for row in missing] + ["got:    " + text_of(row) for row in got]


def of_dump(case, tool, names):
    run = subprocess.run(tool + case.args + names, capture_output=True, text=True, timeout=60)
    said = run.stdout.splitlines() if len(tool) > 1 else differences(case, run.stdout)
    if run.stderr or run.returncode:
        said.append("status %d: %s" % (run.returncode, run.stderr))
    return said


def prepare():
    mkdat.SHOWN_NAMES.update({name: "tracing_mark_write" for rows in EVENTS.values() for name in rows
                              if name.endswith("_mark")})
    for number, name in enumerate(n for rows in EVENTS.values() for n in rows):
        mkdat.IDS[name] = 100 + number
    mkdat.place = place_as_compiled


def main():
    words = sys.argv[1:]
    options = collections.defaultdict(str)
    while words and words[0].startswith("--"):
        options[words[0]] = words[1]
        words = words[2:]
    tool, path = words
    prepare()
    case = Case(path)
    restore = ["--restore", options["--restore"]] if options["--restore"] else []
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMP")) as scratch:
        names = ["f%d.dat" % index for index in range(len(case.files))]
        for name, file in zip(names, case.files):
            file.write(os.path.join(scratch, name))
            if options["--keep"]:
                shutil.copy(os.path.join(scratch, name), options["--keep"] + name[1:])
        said = []
        if case.wanted or restore or not case.commands:
            said += of_dump(case, [tool] + restore, [os.path.join(scratch, name) for name in names])
        if not restore:
            said += [line for command in case.commands for line in command.differences(scratch, names)]
    print("".join(line + "\n" for line in said).encode("utf-8", "backslashreplace").decode(), end="")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
