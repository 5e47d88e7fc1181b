import { idOf } from './binary-rows.ts'
import type { GrowthSize } from './shape.ts'
import * as shape from './shape.ts'

const ordinary = 1

export const pick = <T>(list: T[], n: number) => list[n % list.length] as T

/** Returns the resources and people that the calls are about, most of them of workspace 1. */
export function placesOf(size: GrowthSize) {
  const workspaces = shape.workspacesOf(size)
  const readers = shape.readersOf(size)
  const home = shape.workspaceOf(size, ordinary)
  const large = shape.workspaceOf(size, 0)
  const external = (w: number, place: number) =>
    idOf('external', shape.resourceAt(w, place, workspaces))
  const internal = (w: number, place: number) =>
    idOf('resource', shape.resourceAt(w, place, workspaces))
  const typeAt = (place: number) => shape.types[shape.kindOf(place) - 1] ?? ''
  const at = (w: number, place: number) => ({
    service_name: 'docs',
    resource_type: typeAt(place),
    resource_id: external(w, place),
  })
  const person = (member: number) => home.firstMember + member
  // Sheets without parents, by places: those of viewers who are neither owner nor in the group.
  const places = Array.from({ length: 90 }, (_, n) => n * 10 + 7)
  const privatePlaces = places.filter((place) => shape.visibilityOf(place) === 'private')
  const inGroups = (member: number, place: number) =>
    shape
      .granteeGroupsOf(place, home.groups)
      .some((group) =>
        Array.from({ length: shape.membersOfGroup }, (_, n) => n).some(
          (n) => shape.groupMemberOf(group, n, home.members) === member,
        ),
      )
  const isViewer = (member: number) => member > 1 && member % 5 > 0
  const shared = places.flatMap((place) => {
    const member = shape
      .granteesOf(place, home.members)
      .find((member) => isViewer(member) && !inGroups(member, place))
    return member === undefined || member === shape.ownerOf(place, home.members)
      ? []
      : [{ place, member }]
  })
  const sharedByGroup = places.flatMap((place) => {
    const [group = 0] = shape.granteeGroupsOf(place, home.groups)
    const direct = shape.granteesOf(place, home.members)
    const member = Array.from({ length: shape.membersOfGroup }, (_, n) =>
      shape.groupMemberOf(group, n, home.members),
    ).find((member) => isViewer(member) && !direct.includes(member))
    return member === undefined || member === shape.ownerOf(place, home.members)
      ? []
      : [{ place, member }]
  })
  const denied = home.members - 1 - shape.special.denied
  const one = large.firstMember + large.members - 1 - shape.special.oneFolder

  return {
    workspaces,
    readers,
    home,
    large,
    external,
    internal,
    typeAt,
    at,
    person,
    places,
    privatePlaces,
    shared,
    sharedByGroup,
    denied,
    one,
  }
}
