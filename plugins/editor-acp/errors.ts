import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  ACP_NO_INPUT: failed("This release of Gantry gives commands no input: install a newer one."),
  ACP_WORKSPACE: usage("The folder %s is not used: write it as `gantry acp -C %s`, with a blank in between."),
  ACP_FOLDER: policy(
    "The folder %s lies outside of the workspace %s: have the editor start `gantry acp -C FOLDER` with a folder that holds it.",
  ),
  ACP_FOLDER_ABSENT: usage("The folder %s is not there, or is not a folder: open one that is."),
  ACP_FOLDER_RELATIVE: usage("The folder `%s` is not absolute: send the whole path of the folder."),
  ACP_ONE_FOLDER: usage(
    "A session works in one folder: open a session for each, and leave additionalDirectories out.",
  ),
  ACP_SESSION_UNKNOWN: failed(
    "There is no session `%s` of this folder: open one by session/new, or take an id that session/list names.",
  ),
  ACP_MODE_UNKNOWN: usage("There is no mode `%s` here: take one of %s."),
  ACP_OPTION_UNKNOWN: usage("There is no option `%s` here: `mode` is the only one."),
  ACP_REPLAY: usage("A replay goes from the start: send `replayFrom` as `start`, or leave it out."),
  ACP_BUSY: failed("The session has %s prompts that wait or run: cancel them, or wait for their answers."),
  ACP_SESSIONS: failed("This process has %s sessions open: close one by session/close first."),
  ACP_CONTENT: usage("The %s of the prompt cannot be taken, as %s: send it as text or as a picture."),
  ACP_PROMPT_EMPTY: usage("The prompt is empty: send a text, a picture or a resource."),
  ACP_CURSOR: usage("The cursor `%s` leads nowhere: begin the list again without one."),
});
