import type { PageElement } from "./page-tree.ts";

/** Elements that surround a page's subject. */
const ASIDE = new Set(["nav", "aside", "footer", "form", "menu"]);
const ASIDE_ROLES =
  /^(?:navigation|complementary|banner|contentinfo|search|menu|menubar|toolbar|dialog|alertdialog)$/;
const ASIDE_NAMES =
  /(?:^|[\s_-])(?:nav|navbar|toc|menu|sidebar|side-bar|breadcrumbs?|share|sharing|social|related|recommend(?:ed|ations)?|promo|newsletter|subscribe|cookies?|consent|advert(?:isement)?s?|ads?|banner|popup|modal|pagination|skip|toolbar|footer|comments?)(?:$|[\s_-])/i;
/** A part by such a name goes only if it holds less of the page's text than this; */
const MINOR_SHARE = 0.3;
/** one by such an element, where it holds less than this. */
const ASIDE_SHARE = 0.6;
/** The part that holds this much of the text is what the page is about. */
const MAIN_SHARE = 0.75;
/** Shorter texts outside paragraphs are labels. */
const TELLING_SIGNS = 60;
const PARAGRAPHS = new Set("p pre blockquote li dd dt td th h1 h2 h3 h4 h5 h6 figcaption".split(" "));

/** The part of a page that a person would call the article; all of it where no part stands out. */
export function articleOf(body: PageElement): PageElement {
  const weights = new Map<PageElement, number>();
  weigh(body, weights);
  const whole = weights.get(body) ?? 0;
  const plain = without(body, (element) => isAside(element, (weights.get(element) ?? 0) / (whole || 1)));
  return narrowed(plain);
}

/** Never left for one of their own parts. */
const WHOLE = new Set("p pre blockquote ul ol dl h1 h2 h3 h4 h5 h6".split(" "));

/** Adds up the text of each element that is neither a link nor a label. */
function weigh(element: PageElement, weights: Map<PageElement, number>): number {
  let weight = 0;
  for (const child of element.children) {
    if (typeof child !== "string") weight += child.tag === "a" ? 0 : weigh(child, weights);
    else {
      const signs = child.trim().length;
      if (PARAGRAPHS.has(element.tag) || signs >= TELLING_SIGNS || isInline(element)) weight += signs;
    }
  }
  weights.set(element, weight);
  return weight;
}

function isInline({ tag }: PageElement): boolean {
  return /^(?:b|i|em|strong|code|span|small|sub|sup|q|mark|kbd|samp|var|u|s|abbr|time|cite)$/.test(tag);
}

function isAside({ tag, attributes }: PageElement, share: number): boolean {
  if (tag === "body" || tag === "main" || tag === "article") return false;
  const said = ASIDE.has(tag) || ASIDE_ROLES.test(attributes["role"] ?? "");
  const named = ASIDE_NAMES.test(`${attributes["class"] ?? ""} ${attributes["id"] ?? ""}`);
  return (said && share < ASIDE_SHARE) || (named && share < MINOR_SHARE);
}

function without(element: PageElement, drops: (element: PageElement) => boolean): PageElement {
  const children = element.children
    .filter((child) => typeof child === "string" || !drops(child))
    .map((child) => (typeof child === "string" ? child : without(child, drops)));
  return { ...element, children };
}

/**
 * Goes down while one child holds nearly all; where a page names its main part, it starts there.
 */
function narrowed(body: PageElement): PageElement {
  const weights = new Map<PageElement, number>();
  const whole = weigh(body, weights);
  const mains = found(body, ({ tag, attributes }) => tag === "main" || attributes["role"] === "main");
  let best = mains.length === 1 && weights.get(mains[0]!)! >= whole * MINOR_SHARE ? mains[0]! : body;
  const least = (weights.get(best) ?? 0) * MAIN_SHARE;
  for (;;) {
    const next = best.children.find(
      (child): child is PageElement =>
        typeof child !== "string" && !WHOLE.has(child.tag) && least > 0 && weights.get(child)! >= least,
    );
    if (!next) return best;
    best = next;
  }
}

function found(element: PageElement, fits: (element: PageElement) => boolean): readonly PageElement[] {
  if (fits(element)) return [element];
  return element.children.flatMap((child) => (typeof child === "string" ? [] : found(child, fits)));
}
