import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FileRef } from "./live.ts";
import { useDeed, Wrong } from "./parts.tsx";
import { bytesOf } from "./service.ts";
import { texts } from "./texts.ts";

/** Pictures that a browser shows without running anything. */
const shown = /^image\/(?:png|jpeg|gif|webp)$/;

export function Files({ files }: { readonly files: readonly FileRef[] }) {
  if (files.length === 0) return null;
  return (
    <div class="files">
      {files.map((file) =>
        shown.test(file.mime) && file.url ? <Picture file={file} /> : <Saved file={file} />,
      )}
    </div>
  );
}

/** A picture, fetched with the token and shown as data: no address of it stands in the page. */
function Picture({ file }: { readonly file: FileRef }) {
  const source = useSignal("");
  useEffect(() => {
    void bytesOf(file.url ?? "")
      .then(dataOf)
      .then(
        (data) => (source.value = data),
        () => {},
      );
  }, [file.url]);
  const alt = file.alt ?? file.name ?? texts.chat.picture;
  return source.value === "" ? <Saved file={file} /> : <img src={source.value} alt={alt} />;
}

function Saved({ file }: { readonly file: FileRef }) {
  const name = file.name ?? file.mime;
  const { url } = file;
  const deed = useDeed();
  if (url === undefined) return <span class="chip">{name}</span>;
  const download = () => deed.run(async () => saveAs(await bytesOf(url), name));
  return (
    <>
      <button type="button" class="chip" onClick={() => void download()}>
        {texts.chat.download(name)}
      </button>
      <Wrong deed={deed} />
    </>
  );
}

export function dataOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(new Error(String(reader.error))));
    reader.readAsDataURL(blob);
  });
}

/** Has the browser save bytes under a name. */
export function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
