import { type SyscallRequest, int, processOf } from "./arguments.ts";
import { beneath, pathOf } from "./beneath.ts";
import { KernelError, close, libcCall, struct, syscall } from "../kernel/kernel.ts";
import { readMemory } from "./memory.ts";

const AT_FDCWD = -100;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOL_SOCKET = 1;
const SO_ERROR = 4;
const SO_DOMAIN = 39;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0x800;
const POLLOUT = 4;
const EACCES = 13;
const EINPROGRESS = 115;
const CONNECT_MS = 500;
const LOOPBACK = 0x0100007f;

/**
 * Connects the asker's own socket: to the proxy, or to a socket file beneath the roots, and to nothing else. The address is
 * read once and the connection is made here, so nothing that the asker changes meanwhile matters. Gives an errno or 0.
 */
export function connectSocket(request: SyscallRequest, roots: readonly string[], proxy: number): number {
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
    return beneath(request, pathOf(request, AT_FDCWD, path), 0, roots, (pinned) =>
      withSocket(request, int(args[0]), (fd) =>
        connect(fd, Buffer.concat([struct([2, AF_UNIX]), Buffer.from(`${pinned}\0`)])),
      ),
    );
  }
  if (proxy === 0 || address.length < 8 || view.getUint16(2) !== proxy) return EACCES;
  const to4 = struct([2, AF_INET], [2, swap(proxy)], [4, LOOPBACK], [8, 0]);
  const to6 = struct([2, AF_INET6], [2, swap(proxy)], [4, 0], [8, 0], [4, 0xffff0000], [4, LOOPBACK], [4, 0]);
  if (family === AF_INET && view.getUint32(4, true) === LOOPBACK)
    return withSocket(request, int(args[0]), (fd) => connect(fd, to4));
  const mapped =
    family === AF_INET6 &&
    address.length >= 24 &&
    Buffer.from(address.subarray(8, 24)).equals(to6.subarray(8, 24));
  return mapped ? withSocket(request, int(args[0]), (fd) => connect(fd, to6)) : EACCES;
}

/** Lets a local socket listen; never one of the network. Gives an errno or 0. */
export function listenSocket(request: SyscallRequest): number {
  return withSocket(request, int(request.args[0]), (fd) => {
    if (option(fd, SO_DOMAIN) !== AF_UNIX) return EACCES;
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

/** Never waits longer than a moment, so that one asker cannot hold up the others. */
function connect(fd: number, address: Uint8Array): number {
  const flags = libcCall("fcntl", ["int", "int", "long"], fd, F_GETFL, 0);
  libcCall("fcntl", ["int", "int", "long"], fd, F_SETFL, flags | O_NONBLOCK);
  try {
    return libcCall("connect", ["int", "void *", "uint"], fd, address, address.length);
  } catch (error) {
    if (!(error instanceof KernelError) || error.errno !== EINPROGRESS || flags & O_NONBLOCK) throw error;
    libcCall("poll", ["void *", "ulong", "int"], struct([4, fd], [2, POLLOUT], [2, 0]), 1, CONNECT_MS);
    return option(fd, SO_ERROR);
  } finally {
    libcCall("fcntl", ["int", "int", "long"], fd, F_SETFL, flags);
  }
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
