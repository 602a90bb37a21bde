import { statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const picture = /\.(?:png|jpe?g|gif|webp)$/i;

/**
 * The texts that were pasted, each by the short sign that stands for it in the line that is typed.
 */
export class PastedTexts {
  readonly #texts = new Map<string, string>();
  readonly #pictures = new Map<string, string>();

  /**
   * A text as it stands in a line: itself, or its sign if it has several lines or is the path of a
   * picture.
   */
  shown(text: string): string {
    const file = pictureIn(text);
    if (file !== undefined) return this.#sign(this.#pictures, "picture", path.basename(file), file);
    if (!text.includes("\n")) return text;
    return this.#sign(this.#texts, "pasted text", `${text.split("\n").length} lines`, text);
  }

  /** The line with each text in place of its sign; pictures go beside it. */
  whole(line: string): string {
    return line.replace(/\[pasted text \d+, \d+ lines\]/g, (sign) => this.#texts.get(sign) ?? sign);
  }

  /** Returns the files of the pictures whose signs stand in a line. */
  pictures(line: string): readonly string[] {
    return [...this.#pictures].flatMap(([sign, file]) => (line.includes(sign) ? [file] : []));
  }

  #sign(of: Map<string, string>, kind: string, about: string, value: string): string {
    const sign = `[${kind} ${of.size + 1}, ${about}]`;
    of.set(sign, value);
    return sign;
  }
}

/**
 * Returns the picture whose path a text is, as a terminal pastes a file that is dropped on it:
 * quoted, escaped or as an address.
 */
function pictureIn(text: string): string | undefined {
  const written = text.trim().replace(/^(['"])(.*)\1$/s, "$2");
  if (!picture.test(written) || written.includes("\n")) return undefined;
  try {
    const plain = written.startsWith("file://") ? fileURLToPath(written) : written;
    return [plain, plain.replace(/\\(.)/g, "$1")].find(
      (file) => path.isAbsolute(file) && statSync(file, { throwIfNoEntry: false })?.isFile(),
    );
  } catch {
    return undefined;
  }
}
