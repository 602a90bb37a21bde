import { ConfigEditor, type ConfigChange } from "@gantry/sdk/fill";
import type { Plugin } from "@gantry/sdk";
import { parseToml } from "@gantry/host";
import { errors } from "../errors.ts";
import { alone } from "./alone.ts";
import { checkEdit } from "./check-edit.ts";

/**
 * Returns the text with these keys changed, whatever else is wrong in it. If no editor is
 * `running`, the first of `plugins` that is one is set up alone. Throws CONFIG_TOML,
 * CONFIG_NO_EDITOR and CONFIG_BAD_EDIT.
 */
export async function editText(
  file: string,
  text: string,
  changes: readonly ConfigChange[],
  running: ConfigEditor | undefined,
  plugins: () => Promise<readonly Plugin[]>,
): Promise<string> {
  parseToml(file, text);
  const edited = running
    ? await running.edit(text, changes)
    : await alone(editorIn(file, await plugins()), ConfigEditor, (editor) => editor.edit(text, changes));
  checkEdit(file, text, edited, changes);
  return edited;
}

function editorIn(file: string, plugins: readonly Plugin[]): Plugin {
  const { id } = ConfigEditor;
  const found = plugins.find(({ provides }) => provides?.some((slot) => slot.id === id));
  if (!found) throw errors.CONFIG_NO_EDITOR(file, id);
  return found;
}
