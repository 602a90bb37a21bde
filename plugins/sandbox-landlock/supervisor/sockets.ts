import { readFileSync } from "node:fs";
import { type SyscallRequest, int, processOf } from "./arguments.ts";
import { type OwnFolders, absoluteIn, beneath } from "./in-root.ts";
import { KernelError, close, libcCall, struct, syscall } from "../kernel/kernel.ts";
import { readMemory } from "./memory.ts";

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SO_ERROR = 4;
const SO_ACCEPTCONN = 30;
const SO_DOMAIN = 39;
const SOCK_NONBLOCK = 0x800;
const SOCK_CLOEXEC = 0x80000;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const F_GETFL = 3;
const F_SETFL = 4;
const O_RDWR = 2;
const O_NONBLOCK = 0x800;
const O_CLOEXEC = 0x80000;
const POLLOUT = 4;
const EACCES = 13;
const EINVAL = 22;
const EAFNOSUPPORT = 97;
const EISCONN = 106;
const ETIMEDOUT = 110;
const EINPROGRESS = 115;
const CONNECT_MS = 500;
const LOOPBACK = 0x0100007f;

/**
 * Connects the asker to the proxy, or to a socket file in a folder of its run alone, and to nothing
 * else. The address is read once and the connection is made here, so nothing that the asker changes
 * meanwhile matters. Returns an errno or 0.
 */
export function connectSocket(request: SyscallRequest, own: OwnFolders, proxy: number): number {
  const { args } = request;
  const address = readMemory(request, args[1]!, Math.min(int(args[2]), 128));
  const view = new DataView(address.buffer, address.byteOffset, address.byteLength);
  if (address.length < 3) return EACCES;
  const family = view.getUint16(0, true);
  if (family === AF_UNIX) {
    const end = address.indexOf(0, 2);
    const path = new TextDecoder("utf-8", { fatal: true }).decode(
      address.subarray(2, end < 0 ? undefined : end),
    );
    if (path === "") return EACCES;
    return beneath(request, absoluteIn(request, path), own, (pinned) =>
      connect(request, AF_UNIX, Buffer.concat([struct([2, AF_UNIX]), Buffer.from(`${pinned}\0`)])),
    );
  }
  if (proxy === 0 || address.length < 8 || view.getUint16(2) !== proxy) return EACCES;
  const to4 = struct([2, AF_INET], [2, swap(proxy)], [4, LOOPBACK], [8, 0]);
  const to6 = struct([2, AF_INET6], [2, swap(proxy)], [4, 0], [8, 0], [4, 0xffff0000], [4, LOOPBACK], [4, 0]);
  if (family === AF_INET && view.getUint32(4, true) === LOOPBACK) return connect(request, AF_INET, to4);
  const mapped =
    family === AF_INET6 &&
    address.length >= 24 &&
    Buffer.from(address.subarray(8, 24)).equals(to6.subarray(8, 24));
  return mapped ? connect(request, AF_INET6, to6) : EACCES;
}

/**
 * Lets a local socket listen, but not a network socket, or one whose name is not a file. Returns an
 * errno or 0.
 */
export function listenSocket(request: SyscallRequest): number {
  return withSocket(request, int(request.args[0]), (fd) => {
    if (option(fd, SO_DOMAIN) !== AF_UNIX || !isFile(fd)) return EACCES;
    return libcCall("listen", ["int", "int"], fd, int(request.args[1]));
  });
}

const swap = (port: number): number => ((port & 0xff) << 8) | (port >> 8);

function withSocket({ thread, check }: SyscallRequest, socket: number, use: (fd: number) => number): number {
  const pidfd = syscall("pidfd_open", processOf(thread), 0);
  try {
    check();
    const fd = syscall("pidfd_getfd", pidfd, socket, 0);
    try {
      return use(fd);
    } finally {
      close(fd);
    }
  } finally {
    close(pidfd);
  }
}

/**
 * Connects a socket of our own and puts it in the place of the asker's: that one it shares with
 * others, who could have a call on it wait for ever. Returns an errno or 0.
 */
function connect(request: SyscallRequest, family: number, address: Uint8Array): number {
  const at = int(request.args[0]);
  return withSocket(request, at, (theirs) => {
    if (option(theirs, SO_DOMAIN) !== family) return EAFNOSUPPORT;
    if (option(theirs, SO_ACCEPTCONN) !== 0) return EINVAL;
    if (isConnected(theirs)) return EISCONN;
    const type = option(theirs, SO_TYPE);
    const fd = libcCall("socket", ["int", "int", "int"], family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    try {
      const failure = connectNow(fd, family, address);
      if (failure !== 0) return failure;
      if (family !== AF_UNIX) setOption(fd, IPPROTO_TCP, TCP_NODELAY);
      // The flags of an open file are the asker's wish, and harmless from here on.
      if ((flagsOf(theirs) & O_NONBLOCK) === 0)
        libcCall("fcntl", ["int", "int", "long"], fd, F_SETFL, O_RDWR);
      request.place(fd, at, closesOnExec(request, at));
      return 0;
    } finally {
      close(fd);
    }
  });
}

/** Connects a socket of our own that does not wait. Returns an errno or 0, within a moment. */
function connectNow(fd: number, family: number, address: Uint8Array): number {
  try {
    return libcCall("connect", ["int", "void *", "uint"], fd, address, address.length);
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    if (error.errno !== EINPROGRESS || family === AF_UNIX) return error.errno;
    const ready = struct([4, fd], [2, POLLOUT], [2, 0]);
    if (libcCall("poll", ["void *", "ulong", "int"], ready, 1, CONNECT_MS) === 0) return ETIMEDOUT;
    return option(fd, SO_ERROR);
  }
}

function isConnected(fd: number): boolean {
  try {
    libcCall("getpeername", ["int", "void *", "void *"], fd, new Uint8Array(128), struct([4, 128]));
    return true;
  } catch {
    return false;
  }
}

/** Returns true if a local socket is bound to a path. */
function isFile(fd: number): boolean {
  const name = new Uint8Array(128);
  libcCall("getsockname", ["int", "void *", "void *"], fd, name, struct([4, name.length]));
  return name[2] !== 0;
}

const flagsOf = (fd: number): number => libcCall("fcntl", ["int", "int", "long"], fd, F_GETFL, 0);

/** Returns true if the asker's table says so of its own number. */
function closesOnExec({ thread, check }: SyscallRequest, fd: number): boolean {
  const text = readFileSync(`/proc/${thread}/fdinfo/${fd}`, "utf8");
  check();
  return (Number.parseInt(/^flags:\s+(\d+)$/m.exec(text)?.[1] ?? "0", 8) & O_CLOEXEC) !== 0;
}

function setOption(fd: number, level: number, name: number): void {
  const types = ["int", "int", "int", "void *", "uint"];
  libcCall("setsockopt", types, fd, level, name, struct([4, 1]), 4);
}

function option(fd: number, name: number): number {
  const value = new Int32Array(1);
  libcCall(
    "getsockopt",
    ["int", "int", "int", "void *", "void *"],
    fd,
    SOL_SOCKET,
    name,
    new Uint8Array(value.buffer),
    struct([4, 4]),
  );
  return value[0]!;
}
