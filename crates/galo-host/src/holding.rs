//! What stands in the files of volumes, where a contender may have put anything.

use std::io::Read;
use std::path::PathBuf;

use aho_corasick::AhoCorasick;
use galo_record::HostFact;
use galo_record::finding::VolumesInMemory;
use galo_record::foreign::each_file;

/// More bytes than this are not read.
const READ_MAX: u64 = 4 << 30;
/// File systems that are in memory, by the magic number of statfs(2).
const IN_MEMORY: [(i64, &str); 3] =
    [(0x0102_1994, "tmpfs"), (0x8584_58f6, "ramfs"), (0x9584_58f6, "hugetlbfs")];
/// So many are read at once.
const PIECE: usize = 1 << 20;

/// Bytes of these files, and of all files below these folders.
pub fn bytes(places: &[PathBuf]) -> u64 {
    let mut bytes = 0_u64;
    each_file(places, |found| {
        bytes = bytes.saturating_add(found.stat.st_size.cast_unsigned());
        true
    });
    bytes
}

/// Tells where one of these lies in memory: what is flushed there is on no disk.
pub fn in_memory(places: &[PathBuf]) -> Option<HostFact> {
    places.iter().find_map(|place| {
        // A folder for volumes of which there are none is not made.
        #[allow(clippy::unnecessary_cast)]
        let magic = rustix::fs::statfs(place).ok()?.f_type as i64;
        let (_, file_system) = IN_MEMORY.iter().find(|(known, _)| *known == magic)?;
        let (place, file_system) = (place.display().to_string(), (*file_system).to_owned());
        Some(HostFact::VolumesInMemory(VolumesInMemory { place, file_system }))
    })
}

/// Which of these texts stand in these files, and in all files below these folders, byte for byte. Of very many bytes only the first are read.
pub fn holding(places: &[PathBuf], texts: &[&str]) -> Vec<bool> {
    let mut found = vec![false; texts.len()];
    let Ok(searched) = AhoCorasick::new(texts) else { return found };
    let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let (mut buffer, mut left) = (vec![0; longest + PIECE], READ_MAX);
    each_file(places, |file| {
        let Ok(mut file) = file.open() else { return true };
        // The end of a piece stands before the next one, so that nothing is cut.
        let mut kept = 0;
        while let Ok(read @ 1..) = file.read(&mut buffer[kept..kept + PIECE]) {
            let filled = kept + read;
            for hit in searched.find_overlapping_iter(&buffer[..filled]) {
                found[hit.pattern().as_usize()] = true;
            }
            kept = filled.min(longest.saturating_sub(1));
            buffer.copy_within(filled - kept..filled, 0);
            left = left.saturating_sub(read as u64);
            if left == 0 || found.iter().all(|&found| found) {
                return false;
            }
        }
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, Mode, mkfifoat};

    #[test]
    fn texts_are_found_in_all_files_also_where_two_pieces_meet() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("db/base")).unwrap();
        let mut table = vec![0; 2 * PIECE];
        table[PIECE - 3..PIECE + 2].copy_from_slice(b"joana");
        fs::write(place.path().join("db/base/1"), table).unwrap();
        let alone = place.path().join("alone");
        fs::write(&alone, "\u{1}mariana\u{2}").unwrap();
        symlink("/etc/passwd", place.path().join("db/link")).unwrap();
        let texts = ["joana", "maria", "mariana", "root", "joao"];
        let places = [place.path().join("db"), alone, place.path().join("nowhere")];
        assert_eq!(holding(&places, &texts), [true, true, true, false, false]);
        assert_eq!(holding(&places, &[]), Vec::<bool>::new());
        assert_eq!(bytes(&places), 2 * PIECE as u64 + 9);
    }

    #[test]
    fn a_volume_in_memory_is_told_and_one_on_a_disk_is_not() {
        let memory = PathBuf::from("/dev/shm");
        let told = in_memory(&[PathBuf::from("/proc"), PathBuf::from("/nowhere"), memory]);
        let (place, file_system) = ("/dev/shm".to_owned(), "tmpfs".to_owned());
        assert_eq!(told, Some(HostFact::VolumesInMemory(VolumesInMemory { place, file_system })));
        assert_eq!(in_memory(&[PathBuf::from("/proc")]), None);
    }

    #[test]
    fn a_pipe_in_a_volume_is_not_waited_for() {
        let volume = tempfile::tempdir().unwrap();
        mkfifoat(CWD, volume.path().join("people"), Mode::RWXU).unwrap();
        fs::write(volume.path().join("db"), "joana").unwrap();
        assert_eq!(holding(&[volume.path().to_owned()], &["joana", "maria"]), [true, false]);
    }
}
