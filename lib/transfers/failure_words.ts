/** What people are told of an import or export that failed: its sentence was stored in English. */
import { storedWords } from "../core/language/stored_words.ts";
import { message } from "../core/language/translate.ts";

/** Why a transfer ended, as it was stored, in the reader's language. */
export const failureWords = storedWords([
  message("The file is no whole ZIP archive."),
  message("The archive has a name that leads out of its folder."),
  message("The archive unfolds to more than 4 GB: import it in several parts."),
  message("The file is gzip of more than 10,000 parts: compress it as a whole."),
  message("The file is no whole gzip, or unfolds to more than 256 MiB."),
  message("There is no file of JSON in the archive."),
  message("The archive has more than {n} files of JSON: import it in several parts."),
  message(
    "The file has more than 100,000 lines that cannot be read: it is another kind of file.",
  ),
  message("The file is gone: send it again."),
  message("It failed by an error of Watchpost: the log has more."),
  message("It was given up: Watchpost ended three times at the same place of it."),
  message("{name} unfolds to more than {n} times its size."),
  message("{name} has {size}: a file may have {most}."),
  message("{name} in the archive is damaged."),
  message("{name} in the archive is encrypted: pack it without a password."),
  message("{name} in the archive is neither stored nor deflated: pack it with the usual method."),
  message("{name} is in the archive twice."),
  message("{name} has another name in its own header."),
  message("{name} does not have the size that the archive says."),
  message("{name} lies over another part of the archive."),
  message("The archive is in the ZIP64 format, which is not supported: pack less into one."),
  message("The archive is one part of several: join them to one."),
  message("The archive has more than {n} files."),
  message("The directory of the archive is damaged."),
  message("A name in the archive is not UTF-8."),
  message("The archive refers to what lies outside of it."),
  message("The project is deleted."),
]);
