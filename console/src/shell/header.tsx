import {
  ActionIcon,
  Menu,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { signOut, useAdministrator } from '../session/session.ts'
import { Icon } from '../ui/icon.tsx'
import { notifyFailure } from '../ui/notify.ts'
import { Initials } from '../ui/person.tsx'
import classes from './header.module.css'
import { openPalette } from './palette.tsx'

const schemes = [
  { value: 'auto', label: 'As the system', icon: 'desktop' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
] as const

export function Header({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        className={classes.menu}
        aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      >
        <Icon name={isMenuOpen ? 'close' : 'menu'} size={20} />
      </ActionIcon>
      <UnstyledButton className={classes.find} onClick={openPalette}>
        <Icon name="search" size={16} />
        <span>Find</span>
        <kbd>Ctrl K</kbd>
      </UnstyledButton>
      <div className={classes.space} />
      {menus}
    </header>
  )
}

/** A constant element, so that the menus do not render again with the page. */
const menus = (
  <>
    <ColorScheme />
    <Account />
  </>
)

function ColorScheme() {
  // Mantine would otherwise disable transitions with an inline style, which the content security
  // policy blocks.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const current = schemes.find(({ value }) => value === colorScheme) ?? schemes[0]
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Colors">
          <Icon name={current.icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        >
          {schemes.map(({ value, label, icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon name={icon} size={16} />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}

function Account() {
  const administrator = useAdministrator()
  const navigate = useNavigate()
  async function leave() {
    try {
      await signOut()
      await navigate({ to: '/' })
    } catch (error) {
      notifyFailure(error, 'You are still signed in')
    }
  }
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.account}>
          <VisuallyHidden>Account of {administrator.name || administrator.email}</VisuallyHidden>
          <Initials name={administrator.name || administrator.email} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {administrator.name}
          <br />
          {administrator.email}
        </Menu.Label>
        <Menu.Item
          leftSection={<Icon name="user" size={16} />}
          onClick={() => navigate({ to: '/people/$userId', params: { userId: administrator.id } })}
        >
          My record
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="signOut" size={16} />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
