//! System calls that a service may not make, since no namespace holds what they give:
//!
//! - those of kernel keyrings, which belong to users and outlive processes: a contender could keep its data there;
//! - a user namespace, in which a process is root again and may mount control groups and freeze itself in one;
//! - a child of galo's (`CLONE_PARENT`), which nobody would reap;
//! - `clone3`, whose flags no filter sees: C libraries make do without it, as in Docker's containers;
//! - all calls that are numbered otherwise than this processor's own.
//!
//! The kernel remembers which calls always pass ([`seccomp(2)`](https://man7.org/linux/man-pages/man2/seccomp.2.html)).

use std::io;

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW,
    SECCOMP_RET_ERRNO, SECCOMP_SET_MODE_FILTER, sock_filter, sock_fprog,
};

/// This processor's calls (`audit.h`).
#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;
/// From here on the numbers of x86-64 are those of its x32.
const X32: u32 = 0x4000_0000;

/// Where a filter finds the number of a call, the way it came, and its first argument (`struct seccomp_data`).
const NUMBER: u32 = 0;
const WAY: u32 = 4;
const FIRST: u32 = 16;

const USER: u32 = libc::CLONE_NEWUSER.unsigned_abs();
const PARENT: u32 = libc::CLONE_PARENT.unsigned_abs();

const fn load(offset: u32) -> sock_filter {
    sock_filter { code: (BPF_LD | BPF_W | BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

/// Compares, and passes over so many steps where that holds, and where it does not.
const fn leap(comparison: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | BPF_K | comparison) as u16, jt, jf, k }
}

const fn is_call(number: libc::c_long, jt: u8, jf: u8) -> sock_filter {
    leap(BPF_JEQ, number as u32, jt, jf)
}

const fn end(action: u32) -> sock_filter {
    sock_filter { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k: action }
}

static FILTER: [sock_filter; 17] = [
    load(WAY),
    leap(BPF_JEQ, NATIVE, 0, 13),
    load(NUMBER),
    leap(BPF_JGE, X32, 11, 0),
    is_call(libc::SYS_add_key, 10, 0),
    is_call(libc::SYS_request_key, 9, 0),
    is_call(libc::SYS_keyctl, 8, 0),
    is_call(libc::SYS_clone3, 7, 0),
    is_call(libc::SYS_unshare, 1, 0),
    is_call(libc::SYS_clone, 2, 4),
    load(FIRST),
    leap(BPF_JSET, USER, 4, 2),
    load(FIRST),
    leap(BPF_JSET, USER | PARENT, 2, 0),
    end(SECCOMP_RET_ALLOW),
    end(SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
    end(SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs()),
];

/// Refuses them to the calling process and all that come from it. It takes no lock and allocates nothing.
#[allow(unsafe_code)]
pub(super) fn refuse() -> io::Result<()> {
    let program = sock_fprog { len: FILTER.len() as u16, filter: FILTER.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the filter, which is static, and writes nothing.
    let done = unsafe { libc::syscall(libc::SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
