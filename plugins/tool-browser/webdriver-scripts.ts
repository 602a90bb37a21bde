import { ELEMENT_FACTS } from "./element-facts.ts";

export const LOOK_AT = `const [one] = arguments; ${ELEMENT_FACTS}`;

/**
 * Runs in the page: its text, how many frames it has, and what can be acted on, with what it holds.
 */
export const FIND_ELEMENTS = `
  const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=menuitem], [role=tab], [contenteditable=true]";
  const seen = [...document.querySelectorAll(wanted)].filter((one) => one.getClientRects().length > 0).slice(0, 200);
  const value = (one) => {
    if (one.tagName === "SELECT")
      return (one.selectedOptions[0]?.label ?? "") + " of: " + [...one.options].map((option) => option.label.trim()).join(", ");
    if (one.type === "checkbox" || one.type === "radio") return one.checked ? "checked" : "";
    return one.type === "password" ? "" : String(one.tagName === "BUTTON" ? "" : one.value ?? "");
  };
  return {
    text: (document.body?.innerText ?? "").slice(0, 200000),
    frames: window.frames.length,
    elements: seen.map((element) => ({ element, value: value(element) })),
  };
`;

/** Runs in the page: chooses an option by its label or value. */
export const SELECT_OPTION = `
  const [list, wanted] = arguments;
  const option = [...(list.options ?? [])].find((one) => one.label.trim() === wanted.trim() || one.value === wanted);
  if (!option) return false;
  list.value = option.value;
  for (const type of ["input", "change"]) list.dispatchEvent(new Event(type, { bubbles: true }));
  return true;
`;

/**
 * Runs in the page: puts text where other text stood. A driver's own typing would hand a page the
 * file whose path is typed.
 */
export const TYPE_TEXT = `
  const [field, text] = arguments;
  if (field.type === "file") return false;
  field.focus();
  if (field.select) field.select();
  else document.getSelection().selectAllChildren(field);
  if (document.execCommand(text === "" ? "delete" : "insertText", false, text) || !("value" in field)) return true;
  // Such as dates.
  field.value = text;
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  return true;
`;

/**
 * Runs in the page: whether WebRTC offers datagrams, with a STUN and a TURN server on loopback to
 * ask; `udp` or `none`.
 */
export const GATHER_CANDIDATES = `
  const [udpPort, tcpPort, done] = arguments;
  if (typeof RTCPeerConnection === "undefined") return done("none");
  const turn = { urls: "turn:127.0.0.1:" + tcpPort + "?transport=tcp", username: "x", credential: "x" };
  const connection = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:" + udpPort }, turn] });
  const end = (word) => (connection.close(), done(word));
  connection.onicecandidate = ({ candidate }) => {
    if (candidate === null) end("none");
    else if (/ udp /i.test(candidate.candidate)) end("udp");
  };
  connection.createDataChannel("x");
  connection.createOffer().then((offer) => connection.setLocalDescription(offer)).catch((error) => end(String(error)));
`;
