/** The properties that the stylesheet of the console sets, and an exported picture needs. */
const properties = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-weight',
]

/** Returns a picture as an SVG file that looks as it does now, without the stylesheet. */
export function toSvgFile(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement
  const elements = picture.querySelectorAll('*')
  for (const [index, element] of [...copy.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(elements[index] as Element)
    element.removeAttribute('class')
    for (const property of properties)
      element.setAttribute(property, style.getPropertyValue(property))
  }
  copy.removeAttribute('class')
  copy.setAttribute('font-family', 'system-ui, sans-serif')
  return new XMLSerializer().serializeToString(copy)
}
